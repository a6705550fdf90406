import { elapsedMs } from '../../../actor/clock.ts';
import { ContainerEventType, ContainerState } from '../../../cri/gen/api.ts';
import { type Caller, pause } from './caller.ts';
import { isReady } from './messages.ts';
import type { ExecResult } from '../script/outcome.ts';
import { outcomeAtAge, OutcomeCounters } from '../script/outcomes.ts';
import { type ContainerRecord, logFileOf, terminationFileOf } from '../inventory/records.ts';
import { announce, cancelled, type RuntimeContext, scriptedError } from '../runtime-context.ts';
import { notFound, RuntimeError } from '../runtime-error.ts';
import { formatLog } from '../inventory/runtime-files.ts';
import { type ExecRule, type ScriptedContainer, scriptedContainer, scriptedExec } from '../script/script.ts';
import { interactiveMain } from '../streaming/interactive-process.ts';
import type { ContainerPlace } from '../streaming/container-place.ts';

const SIGKILL_EXIT = 137;
const START_ERROR_EXIT = 128;
/** The platform's longest timer; a longer wait is as good as for ever. */
const LONGEST_WAIT_MS = 0x7fff_ffff;

/** How a container ended. */
export interface Ending {
  readonly code: number;
  /** Replaces `Completed` for 0 and `Error` for other codes. */
  readonly reason?: string | undefined;
  /** The termination message; not written if empty. */
  readonly text?: string;
}

/** The life of one container instance after its creation: start, stop, kill, or its own exit. */
export class ContainerLife {
  readonly #context: RuntimeContext;

  constructor(context: RuntimeContext) {
    this.#context = context;
  }

  scriptOf(container: ContainerRecord): ScriptedContainer | undefined {
    return scriptedContainer(this.#context.script(), container.sandbox.podName, container.name);
  }

  async start(container: ContainerRecord): Promise<void> {
    const { clock, counters, defaults, inventory } = this.#context;
    if (container.state !== ContainerState.CONTAINER_CREATED || container.starting) {
      throw new RuntimeError(
        'Unknown',
        `container "${container.id}" is ${describeState(container)}, cannot be started`,
      );
    }
    this.#assertSandboxReady(container);
    container.starting = true;
    const script = this.scriptOf(container);
    const outcome = counters.take(countKey(container, 'start'), script?.start ?? defaults.start);
    await pause(clock, outcome.delayMs);
    container.starting = false;
    if (inventory.container(container.id) !== container) throw notFound('container', container.id);
    if (outcome.action === 'err' && outcome.leaves === 'created') throw scriptedError(outcome);
    try {
      if (outcome.action === 'err') throw scriptedError(outcome);
      // The container may have been stopped meanwhile, and nothing may run in a stopped sandbox.
      this.#assertSandboxReady(container);
      this.#createLog(container);
    } catch (error) {
      this.#becomeExited(container, { code: START_ERROR_EXIT, reason: 'StartError' });
      throw error;
    }
    this.#run(container, script);
  }

  /** Ends a running container. Does nothing to a container that does not run. */
  end(container: ContainerRecord, ending: Ending): void {
    if (container.state !== ContainerState.CONTAINER_RUNNING) return;
    this.#writeTerminationMessage(container, ending.text);
    if (container.run?.action !== 'run') this.#appendLog(container, container.run?.log);
    this.#becomeExited(container, ending);
  }

  kill(container: ContainerRecord): void {
    this.end(container, { code: SIGKILL_EXIT });
  }

  /**
   * Sends TERM (once per instance), waits up to `timeoutMs` for the exit, then sends KILL; zero kills at once. Each
   * call waits on its own: a call whose caller went away kills nothing.
   */
  async stop(container: ContainerRecord, timeoutMs: number, caller: Caller): Promise<void> {
    if (container.state !== ContainerState.CONTAINER_RUNNING) return;
    if (timeoutMs > 0) {
      await this.#sendTerm(container);
      const end = await this.#waitForEnd(container, Math.min(timeoutMs, LONGEST_WAIT_MS), caller);
      if (end === 'ended') return;
      if (end === 'gone') throw cancelled(`stopping container "${container.id}"`);
    }
    this.kill(container);
  }

  /** Runs a scripted command until it ends, the container ends or the timeout passes (zero: none). */
  async exec(container: ContainerRecord, rule: ExecRule | undefined, call: ExecCall): Promise<CommandEnd> {
    assertRunning(container);
    const result = rule ? this.#nextResult(container, rule, call.command) : EXEC_DEFAULT;
    const timesOut = call.timeoutMs > 0 && result.delayMs > call.timeoutMs;
    const waitMs = timesOut ? call.timeoutMs : result.delayMs;
    const end = waitMs === 0 ? 'elapsed' : await this.#waitForEnd(container, waitMs, call.caller);
    if (end === 'ended') return { code: SIGKILL_EXIT, text: '' };
    if (end === 'gone') throw cancelled(`running a command in container "${container.id}"`);
    if (timesOut) {
      const text = `timeout ${call.timeoutMs / 1000}s exceeded: context deadline exceeded`;
      throw new RuntimeError('DeadlineExceeded', `failed to exec in container: ${text}`);
    }
    if (result.action === 'err') throw scriptedError(result);
    return { code: result.action, text: result.text };
  }

  /** Returns a running container for streams to and from it. */
  place(container: ContainerRecord): ContainerPlace {
    assertRunning(container);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    container.onEnd.add(end);
    const listeners: ((text: string) => void)[] = [];
    container.onLog ??= new Set();
    const { onLog } = container;
    const { podName, config } = container.sandbox;
    return {
      env: new Map(container.config.envs.map(({ key, value }) => [key, Buffer.from(value).toString()])),
      hostname: config.hostname || podName,
      ended: ended.signal,
      scripted: (cmd, caller) => {
        const command = cmd.join(' ');
        const rule = scriptedExec(this.scriptOf(container), command);
        return rule && this.exec(container, rule, { command, timeoutMs: 0, caller });
      },
      main: this.scriptOf(container)?.run ? undefined : interactiveMain(container.config),
      exit: (code) => this.end(container, { code }),
      log: (text) => this.#writeLog(container, text),
      onLog(listener) {
        onLog.add(listener);
        listeners.push(listener);
      },
      release() {
        container.onEnd.delete(end);
        for (const listener of listeners) onLog.delete(listener);
      },
    };
  }

  /** Takes the scripted time and outcome of a resource update. */
  async update(container: ContainerRecord): Promise<void> {
    const { clock, counters, defaults } = this.#context;
    if (container.state !== ContainerState.CONTAINER_RUNNING && container.state !== ContainerState.CONTAINER_CREATED) {
      throw new RuntimeError(
        'Unknown',
        `container "${container.id}" is ${describeState(container)}, cannot be updated`,
      );
    }
    const outcomes = this.scriptOf(container)?.update ?? defaults.update;
    const outcome = counters.take(countKey(container, 'update'), outcomes);
    await pause(clock, outcome.delayMs);
    if (outcome.action === 'err') throw scriptedError(outcome);
  }

  /** Creates the log file again, if it was moved away. */
  reopenLog(container: ContainerRecord): void {
    if (container.state !== ContainerState.CONTAINER_RUNNING) {
      throw new RuntimeError('Unknown', `container "${container.id}" is ${describeState(container)}, has no open log`);
    }
    this.#createLog(container);
  }

  /** Removes the container: calls that wait for its end are released, and nothing more happens to it. */
  forget(container: ContainerRecord): void {
    for (const cancel of container.cancelExits.splice(0)) cancel();
    for (const wake of container.onEnd) wake();
    container.onEnd.clear();
  }

  #assertSandboxReady({ id, sandbox }: ContainerRecord): void {
    if (isReady(sandbox)) return;
    throw new RuntimeError('Unknown', `sandbox "${sandbox.id}" of container "${id}" is not running`);
  }

  #run(container: ContainerRecord, script: ScriptedContainer | undefined): void {
    const { clock, counters, inventory, nanoseconds } = this.#context;
    container.state = ContainerState.CONTAINER_RUNNING;
    container.startedAt = nanoseconds();
    container.startedMonotonic = this.#context.clock.monotonic();
    inventory.containerChanged(container);
    announce(this.#context, ContainerEventType.CONTAINER_STARTED_EVENT, container);
    const run = script?.run && counters.take(countKey(container, 'run'), script.run);
    container.run = run ?? { action: 'run', delayMs: 0, text: '' };
    if (!run || run.action === 'run') return this.#appendLog(container, run?.log);
    const { action: code, delayMs, reason, text } = run;
    container.cancelExits.push(clock.after(delayMs, () => this.end(container, { code, reason, text })));
  }

  async #sendTerm(container: ContainerRecord): Promise<void> {
    if (container.termSent) return;
    const { clock, counters, defaults } = this.#context;
    const reaction = counters.take(countKey(container, 'stop'), this.scriptOf(container)?.stop ?? defaults.stop);
    if (reaction.action === 'err') {
      await pause(clock, reaction.delayMs);
      throw scriptedError(reaction);
    }
    container.termSent = true;
    if (reaction.action === 'ignore') return;
    const { action: code, delayMs, reason, text } = reaction;
    container.cancelExits.push(clock.after(delayMs, () => this.end(container, { code, reason, text })));
  }

  #becomeExited(container: ContainerRecord, ending: Ending): void {
    container.state = ContainerState.CONTAINER_EXITED;
    container.finishedAt = this.#context.nanoseconds();
    container.exitCode = ending.code;
    container.reason = ending.reason ?? (ending.code === 0 ? 'Completed' : 'Error');
    this.#context.inventory.containerChanged(container);
    this.forget(container);
    announce(this.#context, ContainerEventType.CONTAINER_STOPPED_EVENT, container);
  }

  #waitForEnd(container: ContainerRecord, timeoutMs: number, caller: Caller): Promise<'ended' | 'elapsed' | 'gone'> {
    if (container.state !== ContainerState.CONTAINER_RUNNING) return Promise.resolve('ended');
    return new Promise((resolve) => {
      const finish = (how: 'ended' | 'elapsed' | 'gone'): void => {
        cancel();
        container.onEnd.delete(ended);
        resolve(how);
      };
      const ended = (): void => finish('ended');
      const cancel = this.#context.clock.after(timeoutMs, () => finish('elapsed'));
      container.onEnd.add(ended);
      caller.whenGone(() => finish('gone'));
    });
  }

  #nextResult(container: ContainerRecord, rule: ExecRule, command: string): ExecResult {
    const { counters, clock } = this.#context;
    if (rule.by === 'age') return outcomeAtAge(rule, elapsedMs(container.startedMonotonic, clock.monotonic()));
    if (rule.by === 'name') return counters.take(`${countKey(container, 'exec')}/${command}`, rule.results);
    container.execCounters ??= new OutcomeCounters();
    return container.execCounters.take(command, rule.results);
  }

  #createLog(container: ContainerRecord): void {
    const path = logFileOf(container);
    try {
      if (path !== undefined) this.#context.files.createLog(path);
    } catch (error) {
      throw new RuntimeError('Unknown', `opening log file "${path}" failed: ${String(error)}`);
    }
  }

  // A simulated process runs and ends even if the disk is full or its directory is gone, as a real one does.
  #appendLog(container: ContainerRecord, text: string | undefined): void {
    if (text) for (const listener of container.onLog ?? []) listener(text);
    if (text) this.#writeLog(container, text);
  }

  #writeLog(container: ContainerRecord, text: string): void {
    const path = logFileOf(container);
    if (path === undefined) return;
    const lines = formatLog(text, this.#context.nanoseconds());
    whateverHappens(() => this.#context.files.appendLog(path, lines));
  }

  #writeTerminationMessage(container: ContainerRecord, text: string | undefined): void {
    const path = terminationFileOf(container);
    if (text && path !== undefined) whateverHappens(() => this.#context.files.writeTerminationMessage(path, text));
  }
}

function assertRunning(container: ContainerRecord): void {
  if (container.state === ContainerState.CONTAINER_RUNNING) return;
  const problem = `container "${container.id}" is ${describeState(container)}, cannot run commands`;
  throw new RuntimeError('Unknown', problem);
}

function whateverHappens(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

/** A command to run, and how long its caller will wait. */
export interface ExecCall {
  readonly command: string;
  readonly timeoutMs: number;
  readonly caller: Caller;
}

/** How a command ended, and its standard output. */
export interface CommandEnd {
  readonly code: number;
  readonly text: string;
}

const EXEC_DEFAULT: ExecResult = { action: 0, delayMs: 0, text: '' };

/** Lists are counted per pod UID and container name, across restarts and sandboxes. */
const countKey = (container: ContainerRecord, list: string): string =>
  `${container.sandbox.podUid}/${container.name}/${list}`;

const describeState = (container: ContainerRecord): string =>
  container.starting ? 'being started' : (['created', 'running', 'exited', 'unknown'][container.state] ?? 'unknown');
