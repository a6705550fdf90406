import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { criClient, type CriByteCall } from '../../src/cri/client.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { isBelow } from '../../src/kube/validation/entry-name.ts';
import { PLEG } from '../pleg/protocol.ts';
import type { LogDisk } from './log-disk.ts';
import type { ContainerLogManagerProtocol, LogOutcome } from './protocol.ts';
import { handleLog, type RotationTools } from './rotate-log.ts';
import { LogQueue, type LogToHandle } from './log-queue.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface ContainerLogManagerDeps {
  readonly cri: CriByteCall;
  readonly disk: LogDisk;
  /** Directory of the pods' logs. The agent neither renames nor removes a log that the runtime keeps elsewhere. */
  readonly podLogsDir: string;
  /** Size in bytes at which a log is rotated; negative: never. */
  readonly maxSizeBytes: number;
  readonly maxFiles: number;
  readonly atOnce: number;
  readonly checkEveryMs: number;
}

const ASK_WITHIN = { deadlineMs: 10_000 };
/** Log files checked in one turn. */
const SLICE = 256;

/** Rotates the logs of running containers, so that they do not grow for ever. */
export class ContainerLogManager implements Actor<ContainerLogManagerProtocol> {
  readonly #context: ActorContext<ContainerLogManagerProtocol>;
  readonly #checks: Duty;
  readonly #deps: ContainerLogManagerDeps;
  /** Log paths of the running containers, by container, as of the last check. */
  #logs: ReadonlyMap<string, string> = new Map();
  readonly #queue: LogQueue;
  readonly #tools: RotationTools;

  constructor(context: ActorContext<ContainerLogManagerProtocol>, deps: ContainerLogManagerDeps) {
    this.#context = context;
    this.#checks = dutyOf(context, {
      work: 'check the sizes of container logs',
      follows: 'logs grow beyond their limit',
    });
    this.#deps = deps;
    this.#queue = new LogQueue(deps.atOnce);
    this.#tools = {
      cri: criClient(deps.cri),
      disk: deps.disk,
      maxFiles: deps.maxFiles,
      now: () => context.clock.now(),
      alive: () => context.alive(),
    };
  }

  start(): void {
    if (this.#deps.maxSizeBytes >= 0) this.#checkLater();
  }

  tell(command: ContainerLogManagerProtocol['command']): void {
    switch (command.type) {
      case 'check-due':
        return this.#check();
      case 'logs-checked':
        return this.#logsChecked(command.problem);
      case 'log-handled':
        return this.#handled(command.containerId, command.outcome);
      default:
        return assertNever(command, 'container log manager command');
    }
  }

  #checkLater(): void {
    this.#context.clock.after(this.#deps.checkEveryMs, () => this.#context.self.tell({ type: 'check-due' }));
  }

  #check(): void {
    const { self } = this.#context;
    this.#context.supervise(this.#checkLogs().then((problem) => self.tell({ type: 'logs-checked', problem })));
  }

  /** Returns a description of the problem, or `undefined`. */
  async #checkLogs(): Promise<string | undefined> {
    try {
      const logs = await this.#context.ref(PLEG).ask({ type: 'running-logs' }, ASK_WITHIN);
      this.#logs = new Map(logs.filter(([, path]) => isBelow(this.#deps.podLogsDir, path)));
    } catch (error) {
      return `cannot list the logs of running containers: ${messageOf(error)}`;
    }
    const { maxSizeBytes, disk } = this.#deps;
    const found: LogToHandle[] = [];
    let checked = 0;
    for (const [containerId, path] of this.#logs) {
      if (++checked % SLICE === 0) await new Promise<void>((go) => void this.#context.clock.after(1, go));
      const size = disk.sizeOf(path);
      if (size === undefined || size >= maxSizeBytes) {
        found.push({ containerId, path, why: size === undefined ? 'missing' : 'large' });
      }
    }
    this.#queue.found(found, this.#logs);
    return undefined;
  }

  #logsChecked(problem: string | undefined): void {
    if (problem === undefined) this.#checks.worked();
    else this.#checks.failed(problem);
    this.#goOn();
    this.#checkLater();
  }

  #goOn(): void {
    const { self, clock } = this.#context;
    for (let log = this.#queue.next(clock.monotonic()); log !== undefined; log = this.#queue.next(clock.monotonic())) {
      const { containerId } = log;
      const handled = handleLog(this.#tools, log);
      this.#context.supervise(handled.then((outcome) => self.tell({ type: 'log-handled', containerId, outcome })));
    }
  }

  #handled(containerId: string, outcome: LogOutcome): void {
    const { clock, log } = this.#context;
    const path = this.#logs.get(containerId);
    if (outcome.type === 'failed')
      log.warn({ containerId, path }, `rotating a container log failed: ${outcome.problem}; retrying later`);
    if (outcome.type === 'rotated') log.debug({ containerId, path }, 'rotated a container log');
    this.#queue.ended(containerId, { well: outcome.type === 'rotated', now: clock.monotonic() });
    this.#goOn();
  }
}
