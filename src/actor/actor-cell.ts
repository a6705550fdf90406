import type { ThreadMs } from './clock.ts';
import type { Actor, ActorKind } from './actor.ts';
import { BOOT_WITHIN_MS, type ChildSpec, type Lifetime, type SupervisorReport } from './supervision/child.ts';
import type { Dispatcher, Runnable } from './dispatcher.ts';
import { describeError } from './fault.ts';
import { Incarnation, type IncarnationHost } from './incarnation.ts';
import type { KindCounts } from './insight/kind-figures.ts';
import { Mailbox, type Mail, type ReplyTo } from './messages/mailbox.ts';
import type { Tagged } from './messages/message.ts';
import { OpenQuestions } from './messages/open-questions.ts';
import { Stalls, type Stall } from './insight/stalls.ts';
import { afterCrash, type CrashHistory } from './supervision/restart-budget.ts';
import type { Child, Parent } from './supervision/supervisor.ts';

/** The parts of a thread that a cell uses. */
export interface CellHost extends IncarnationHost {
  readonly dispatcher: Dispatcher;
  nextIncarnation(): number;
  report(report: SupervisorReport): void;
  /** Called just before a message is read, at instant `at` of the dispatcher's clock. */
  reading(cell: ActorCell, mail: Mail, at: ThreadMs): void;
  /** Called after a message was read. Reading took `ms`. */
  hasRead(cell: ActorCell, mail: Mail, ms: number): void;
}

export interface CellFigures {
  readonly depth: number;
  readonly handled: number;
  readonly restarts: number;
  readonly lastFault: string | undefined;
}

type Phase = 'idle' | 'booting' | 'running' | 'crashed' | 'halting' | 'halted' | 'stopping' | 'ended';

/** Keeps one actor. Its mailbox stays over restarts; its incarnations come and go. */
export class ActorCell implements Runnable, Child {
  readonly spec: ChildSpec;
  readonly counts: KindCounts;
  readonly #kind: ActorKind;
  readonly #host: CellHost;
  readonly #parent: Parent;
  readonly #mailbox: Mailbox;
  #open: OpenQuestions | undefined;
  #phase: Phase = 'idle';
  #actor: Actor | undefined;
  #incarnation: Incarnation | undefined;
  #crashes: CrashHistory = [];
  /** `true` while the cell is in the dispatcher's queue or reads. It must not be queued twice. */
  #queued = false;
  #stalls: Stalls | undefined;
  #halted: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  /** Ends the wait for an orderly stop before its deadline. */
  #cutStopShort: (() => void) | undefined;
  #cancelRestart: (() => void) | undefined;
  #handled = 0;
  #restarts = 0;
  #lastFault: string | undefined;

  constructor(spec: ChildSpec, kind: ActorKind, env: { host: CellHost; parent: Parent; counts: KindCounts }) {
    this.spec = spec;
    this.counts = env.counts;
    this.#kind = kind;
    this.#host = env.host;
    this.#parent = env.parent;
    this.#mailbox = new Mailbox(kind.mailbox);
  }

  get name(): string {
    return this.spec.address;
  }

  get lifetime(): Lifetime {
    return this.spec.lifetime ?? 'permanent';
  }

  about(message: Tagged): string | undefined {
    return this.#kind.about?.(message);
  }

  get depth(): number {
    return this.#mailbox.depth;
  }

  get figures(): CellFigures {
    return { depth: this.depth, handled: this.#handled, restarts: this.#restarts, lastFault: this.#lastFault };
  }

  /** Returns why the message was refused, if it was. */
  offer(mail: Mail, urgency: 'usual' | 'urgent'): 'taken' | 'full' | 'ended' {
    if (this.#phase === 'ended') return 'ended';
    if (!this.#mailbox.offer(mail, urgency)) {
      this.counts.refused++;
      return 'full';
    }
    const { replaced } = this.#mailbox;
    if (replaced !== undefined) {
      this.counts.coalesced++;
      // A message may replace itself, when a late message was sent again.
      if (replaced !== mail.message) this.#incarnation?.hasReplaced(replaced);
    }
    this.#wake();
    return 'taken';
  }

  start(): Promise<void> {
    if (this.#halted !== undefined && this.#phase === 'halting') return this.#halted.then(() => this.start());
    // The caller that starts an actor is in the middle of other work. The actor's code must not run inside that work.
    return Promise.resolve().then(() => {
      if (this.#phase === 'idle' || this.#phase === 'halted' || this.#phase === 'crashed') return this.#begin();
      return undefined;
    });
  }

  startAfter(delayMs: number): void {
    this.#cancelRestart?.();
    if (delayMs === 0) void this.#begin();
    else this.#cancelRestart = this.#host.clock.after(delayMs, () => void this.start());
  }

  /** Starts at once, unless the actor's own start is asynchronous. Thousands of actors start together. */
  #begin(): void | Promise<void> {
    this.#cancelRestart?.();
    const restarted = this.#phase !== 'idle';
    if (restarted) {
      this.#restarts++;
      this.counts.restarts++;
    }
    this.#phase = 'booting';
    this.#halted = undefined;
    const incarnation = new Incarnation(
      { address: this.spec.address, incarnation: this.#host.nextIncarnation(), restarted },
      this.#host,
      {
        crashed: (reason) => this.crash(reason),
        finished: () => this.#finished(),
        isBusy: () => this.#isStalled || this.depth > 0,
      },
    );
    this.#incarnation = incarnation;
    try {
      // A factory is typed for its own protocol. The address it is registered under is what ties the two together.
      const actor = this.#kind.make(incarnation as never, this.spec.init) as Actor;
      this.#actor = actor;
      const started = actor.start === undefined ? undefined : incarnation.run(() => actor.start?.());
      if (started !== undefined) return this.#withinDeadline(incarnation, started);
    } catch (reason) {
      if (incarnation.alive()) this.crash(reason);
    }
    this.#begun(incarnation);
    return undefined;
  }

  #begun(incarnation: Incarnation): void {
    if (!incarnation.alive()) return;
    this.#phase = 'running';
    this.#wake();
  }

  /** Waits for the start to end, up to its deadline. A start that fails later ends the incarnation. */
  async #withinDeadline(incarnation: Incarnation, started: Promise<void>): Promise<void> {
    const withinMs = this.spec.bootWithinMs ?? BOOT_WITHIN_MS;
    const over = Promise.withResolvers<void>();
    const disarm = this.#host.clock.after(withinMs, () =>
      over.reject(new Error(`${this.spec.address} did not start within ${withinMs} ms`)),
    );
    // The incarnation ended meanwhile, by a crash in a timer or by a stop. No caller waits for that start any more.
    incarnation.onEnd(over.resolve);
    started.then(over.resolve, over.reject);
    try {
      await over.promise;
    } catch (reason) {
      if (incarnation.alive()) this.crash(reason);
    }
    disarm();
    this.#begun(incarnation);
  }

  run(atMost: number, until: ThreadMs): boolean {
    const incarnation = this.#incarnation;
    if (incarnation !== undefined && this.#phase === 'running') incarnation.run(() => this.#read(atMost, until));
    this.#queued = this.#phase === 'running' && this.#mailbox.depth > 0 && !this.#isStalled;
    return this.#queued;
  }

  #read(atMost: number, until: ThreadMs): void {
    const host = this.#host;
    let begun = host.dispatcher.monotonic();
    for (let read = 0; read < atMost && this.#phase === 'running' && !this.#isStalled && begun <= until; read++) {
      const mail = this.#mailbox.take();
      const incarnation = this.#incarnation;
      if (mail === undefined || incarnation === undefined) return;
      if (mail.from === this.name && mail.reply === undefined && !incarnation.hears(mail.message)) continue;
      this.#handled++;
      host.reading(this, mail, begun);
      const { mark } = mail;
      incarnation.trace = mark?.trace;
      try {
        if (mark?.poison !== undefined) throw new Error(mark.poison);
        if (mail.reply === undefined) this.#actor?.tell(mail.message);
        else this.#answer(mail.message, mail.reply);
      } catch (reason) {
        this.crash(reason);
      }
      incarnation.trace = undefined;
      const ended = host.dispatcher.monotonic();
      host.hasRead(this, mail, ended - begun);
      begun = ended;
    }
  }

  /** Ends the incarnation as a throw would and lets the restart rule decide. Fault injection enters here too. */
  crash(reason: unknown): void {
    const incarnation = this.#incarnation;
    if (incarnation === undefined || !incarnation.alive()) return;
    const text = describeError(reason);
    [this.#lastFault, this.counts.lastFault] = [text, text];
    if (this.#phase === 'stopping' || this.#phase === 'halting') {
      // The incarnation was ending anyway, so nothing is restarted.
      this.#host.log.warn({ actor: this.spec.address, err: text }, 'actor crashed while stopping; it is not restarted');
      return this.#phase === 'stopping' ? this.#end('stopped') : this.#endHalt();
    }
    this.counts.crashes++;
    if (this.lifetime === 'temporary') return this.#end('not-restarted', text);
    const { history, verdict } = afterCrash(
      this.#crashes,
      { at: this.#host.clock.monotonic(), booting: this.#phase === 'booting', chance: this.#host.random() },
      this.spec.restart,
    );
    this.#crashes = history;
    this.#endIncarnation();
    this.#phase = 'crashed';
    this.#report(incarnation, text, verdict.type);
    this.#parent.crashed(this, verdict, text);
  }

  /** Reads nothing until the last stall is over or the incarnation ends. Used for fault injection. */
  stall(stall: Stall): void {
    this.#stalls ??= new Stalls(() => this.#wake());
    this.#stalls.add(stall, this.#host.clock);
  }

  halt(): Promise<void> {
    if (this.#phase === 'ended' || this.#phase === 'stopping' || this.#phase === 'idle') return Promise.resolve();
    this.#halted ??= this.#halt();
    return this.#halted;
  }

  async #halt(): Promise<void> {
    this.#cancelRestart?.();
    const running = this.#phase === 'running';
    this.#phase = 'halting';
    if (running) await this.#lastCall();
    if (this.#phase === 'halting') this.#endHalt();
  }

  #endHalt(): void {
    this.#phase = 'halted';
    this.#cutStopShort?.();
    const incarnation = this.#incarnation;
    if (incarnation?.alive() !== true) return;
    this.#endIncarnation();
    this.#report(incarnation, 'a sibling crashed', 'stopped');
  }

  /**
   * Stops in order. The message being handled may finish, and waiting messages are dropped. The rest is cut off at the
   * deadline.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** `true` from the moment a stop was requested. */
  get stopping(): boolean {
    return this.#stopped !== undefined;
  }

  async #stop(): Promise<void> {
    const { running, halting } = { running: this.#phase === 'running', halting: this.#phase === 'halting' };
    if (this.#phase !== 'ended') this.#phase = 'stopping';
    if (halting) await this.#halted;
    if (running) await this.#lastCall();
    this.#end('stopped');
  }

  async #lastCall(): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#cutStopShort = over.resolve;
    const disarm = this.#host.clock.after(this.spec.stopWithinMs, over.resolve);
    const last = async (): Promise<void> => {
      // The actor may have requested its own stop: its current work finishes first.
      await Promise.resolve();
      await this.#incarnation?.run(() => this.#actor?.stop?.());
    };
    last().then(over.resolve, (reason: unknown) => {
      this.#host.log.warn(
        { actor: this.spec.address, err: describeError(reason) },
        'actor failed to stop in order; ending it',
      );
      over.resolve();
    });
    await over.promise;
    disarm();
  }

  #finished(): void {
    if (this.lifetime === 'permanent' && this.#phase !== 'stopping')
      return this.crash(new Error(`${this.spec.address} finished, but this kind of actor must not finish`));
    this.#end('finished');
  }

  #answer(question: Tagged, reply: ReplyTo): void {
    const incarnation = this.#incarnation;
    this.#open ??= new OpenQuestions();
    this.#open.read(
      reply,
      () => this.#actor?.ask?.(question),
      (reason) => {
        if (incarnation?.alive() === true) this.crash(reason);
      },
    );
  }

  get #isStalled(): boolean {
    return this.#stalls?.areOver === false;
  }

  #wake(): void {
    if (this.#queued || this.#phase !== 'running' || this.#isStalled || this.#mailbox.depth === 0) return;
    this.#queued = true;
    this.#host.dispatcher.wake(this);
  }

  #endIncarnation(): void {
    this.#incarnation?.end();
    this.#actor = undefined;
    this.#stalls = undefined;
    this.#open?.end(`${this.spec.address} ended while working on the question`);
  }

  #end(verdict: 'finished' | 'stopped' | 'not-restarted', reason: string = verdict): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#cutStopShort?.();
    this.#cancelRestart?.();
    this.#endIncarnation();
    this.#mailbox.refuseAll(`${this.spec.address} has ended`);
    this.#parent.ended(this);
    if (this.#incarnation !== undefined) this.#report(this.#incarnation, reason, verdict);
  }

  #report({ incarnation }: Incarnation, reason: string, verdict: SupervisorReport['verdict']): void {
    this.#host.report({ supervisor: this.#parent.name, child: this.spec.address, incarnation, reason, verdict });
  }
}
