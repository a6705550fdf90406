import type { Actor, ActorKind } from './actor.ts';
import type { ChildSpec, SupervisorReport } from './child.ts';
import type { Dispatcher, Runnable } from './dispatcher.ts';
import { describeError } from './fault.ts';
import { Incarnation, type IncarnationHost } from './incarnation.ts';
import { Mailbox, type ReplyTo } from './mailbox.ts';
import { Transferring, type Tagged } from './message.ts';
import { afterCrash, type CrashHistory, type Verdict } from './restart-budget.ts';

/** What a cell needs from the thread it lives on. */
export interface CellHost extends IncarnationHost {
  readonly supervisor: string;
  readonly dispatcher: Dispatcher;
  nextIncarnation(): number;
  report(report: SupervisorReport): void;
  /** The budget of `child` is spent: this thread cannot keep it alive. */
  escalate(child: string, reason: string): void;
  /** The cell has ended for good and is to be forgotten. */
  forget(cell: ActorCell): void;
}

export interface CellFigures {
  readonly depth: number;
  readonly handled: number;
  readonly restarts: number;
  readonly lastFault: string | undefined;
}

type Phase = 'idle' | 'booting' | 'running' | 'restarting' | 'stopping' | 'ended';

/** Keeps one actor: its mailbox stays over restarts, its incarnations come and go. */
export class ActorCell implements Runnable {
  readonly spec: ChildSpec;
  readonly #kind: ActorKind;
  readonly #host: CellHost;
  readonly #mailbox: Mailbox;
  /** Questions the current incarnation has read and not yet answered. */
  readonly #open = new Set<ReplyTo>();
  #phase: Phase = 'idle';
  #actor: Actor | undefined;
  #incarnation: Incarnation | undefined;
  #crashes: CrashHistory = [];
  /** In the dispatcher's queue, or reading: either way it is not to be put there again. */
  #queued = false;
  #stopped: Promise<void> | undefined;
  /** Ends the wait for an orderly stop before its deadline. */
  #cutStopShort: (() => void) | undefined;
  #cancelRestart: (() => void) | undefined;
  #handled = 0;
  #restarts = 0;
  #lastFault: string | undefined;

  constructor(spec: ChildSpec, kind: ActorKind, host: CellHost) {
    this.spec = spec;
    this.#kind = kind;
    this.#host = host;
    this.#mailbox = new Mailbox(kind.mailbox);
  }

  get figures(): CellFigures {
    return { depth: this.#mailbox.depth, handled: this.#handled, restarts: this.#restarts, lastFault: this.#lastFault };
  }

  /** False: the message was refused, the mailbox is full or the actor has ended. */
  offer(message: Tagged, reply?: ReplyTo): boolean {
    if (this.#phase === 'ended' || !this.#mailbox.offer(message, reply)) return false;
    this.#wake();
    return true;
  }

  /** Starts the first incarnation. Idempotent. Resolves when it runs, or when it is known to be tried again later. */
  async boot(): Promise<void> {
    // Whoever starts an actor is in the middle of something: its code does not run inside that.
    await Promise.resolve();
    if (this.#phase === 'idle') await this.#begin();
  }

  async #begin(): Promise<void> {
    this.#phase = 'booting';
    const incarnation = new Incarnation(
      { address: this.spec.address, incarnation: this.#host.nextIncarnation(), restarted: this.#restarts > 0 },
      this.#host,
      { crashed: (reason) => this.crash(reason), finished: () => this.#end('finished') },
    );
    this.#incarnation = incarnation;
    try {
      // A factory is typed for its own protocol; the address it is registered under is what ties the two together.
      const actor = this.#kind.make(incarnation as never, this.spec.init) as Actor;
      this.#actor = actor;
      const started = actor.start?.();
      if (started !== undefined) await started;
    } catch (reason) {
      if (incarnation.alive()) this.crash(reason);
      return;
    }
    if (!incarnation.alive()) return;
    this.#phase = 'running';
    this.#wake();
  }

  run(atMost: number): boolean {
    for (let read = 0; read < atMost && this.#phase === 'running'; read++) {
      const mail = this.#mailbox.take();
      if (mail === undefined) break;
      this.#handled++;
      try {
        if (mail.reply === undefined) this.#actor?.tell(mail.message);
        else this.#answer(mail.message, mail.reply);
      } catch (reason) {
        this.crash(reason);
        break;
      }
    }
    this.#queued = this.#phase === 'running' && this.#mailbox.depth > 0;
    return this.#queued;
  }

  /** Ends the incarnation as a throw would and lets the rule decide. Also the seam through which faults are injected. */
  crash(reason: unknown): void {
    const incarnation = this.#incarnation;
    if (incarnation === undefined || !incarnation.alive()) return;
    const text = describeError(reason);
    if (this.#phase === 'stopping') {
      // It was to end anyway: nothing is started again for that.
      this.#lastFault = text;
      this.#host.log.warn({ actor: this.spec.address, err: text }, 'crashed while it was being stopped');
      return this.#end('stopped');
    }
    const { history, verdict } = afterCrash(
      this.#crashes,
      { at: this.#host.clock.monotonic(), booting: this.#phase === 'booting', chance: this.#host.random() },
      this.spec.restart,
    );
    this.#crashes = history;
    this.#lastFault = text;
    this.#endIncarnation(incarnation);
    this.#report(incarnation, text, verdict.type);
    this.#obey(verdict, text);
  }

  /** Orderly: what is already being handled may end, what waits in the mailbox is dropped, the rest is cut at the deadline. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** From the moment a stop was asked for. */
  get stopping(): boolean {
    return this.#stopped !== undefined;
  }

  async #stop(): Promise<void> {
    const running = this.#phase === 'running';
    if (this.#phase !== 'ended') this.#phase = 'stopping';
    if (running) await this.#lastCall();
    this.#end('stopped');
  }

  async #lastCall(): Promise<void> {
    const over = Promise.withResolvers<void>();
    this.#cutStopShort = over.resolve;
    const disarm = this.#host.clock.after(this.spec.stopWithinMs, over.resolve);
    const last = async (): Promise<void> => {
      // It may have asked for its own stop: what it is doing is done first.
      await Promise.resolve();
      await this.#actor?.stop?.();
    };
    last().then(over.resolve, (reason: unknown) => {
      this.#host.log.warn({ actor: this.spec.address, err: describeError(reason) }, 'stopping failed');
      over.resolve();
    });
    await over.promise;
    disarm();
  }

  #obey(verdict: Verdict, reason: string): void {
    this.#phase = 'restarting';
    if (verdict.type === 'escalate') {
      this.#host.escalate(this.spec.address, reason);
      return;
    }
    this.#restarts++;
    const again = (): void => void this.#begin();
    if (verdict.afterMs === 0) again();
    else this.#cancelRestart = this.#host.clock.after(verdict.afterMs, again);
  }

  #answer(question: Tagged, reply: ReplyTo): void {
    // Open before it is read: a throw while reading it settles it too.
    this.#open.add(reply);
    const answer = this.#actor?.ask?.(question);
    if (!(answer instanceof Promise)) {
      // An actor that finishes while it answers has settled the question already.
      if (this.#open.delete(reply)) reply.answer(answer);
      return;
    }
    const incarnation = this.#incarnation;
    answer.then(
      (value) => (this.#open.delete(reply) ? reply.answer(value) : undefined),
      (reason: unknown) => {
        if (incarnation?.alive() === true) this.crash(reason);
      },
    );
  }

  #wake(): void {
    if (this.#queued || this.#phase !== 'running' || this.#mailbox.depth === 0) return;
    this.#queued = true;
    this.#host.dispatcher.wake(this);
  }

  #endIncarnation(incarnation: Incarnation): void {
    incarnation.end();
    this.#actor = undefined;
    for (const reply of this.#open)
      reply.fault('callee-ended', `${this.spec.address} ended while it worked on the question`);
    this.#open.clear();
  }

  #end(verdict: 'finished' | 'stopped'): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#cutStopShort?.();
    this.#cancelRestart?.();
    if (this.#incarnation !== undefined) this.#endIncarnation(this.#incarnation);
    for (let mail = this.#mailbox.take(); mail !== undefined; mail = this.#mailbox.take()) {
      mail.reply?.fault('no-such-actor', `${this.spec.address} has ended`);
    }
    this.#host.forget(this);
    if (this.#incarnation !== undefined) this.#report(this.#incarnation, verdict, verdict);
  }

  #report(incarnation: Incarnation, reason: string, verdict: SupervisorReport['verdict']): void {
    const { supervisor } = this.#host;
    this.#host.report({ supervisor, child: this.spec.address, incarnation: incarnation.incarnation, reason, verdict });
  }
}

/** Unpacks an answer whose buffers are to be moved. */
export function unpackAnswer(answer: unknown): { readonly value: unknown; readonly buffers: readonly ArrayBuffer[] } {
  return answer instanceof Transferring ? answer : { value: answer, buffers: [] };
}
