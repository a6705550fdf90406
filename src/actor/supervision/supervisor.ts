import type { Lifetime, SupervisorReport, SupervisorSpec } from './child.ts';
import { later, type Clock, type MonotonicMs } from '../clock.ts';
import type { Random } from '../random.ts';
import { afterCrash, type CrashHistory, type RestartRule, type Verdict } from './restart-budget.ts';
import { affectedBy } from './strategy.ts';

/** A child of a supervisor: an actor, or another supervisor. */
export interface Child {
  readonly name: string;
  readonly lifetime: Lifetime;
  /**
   * Starts the child, also after a crash or a halt. Idempotent. Resolves when the child runs, or when a later retry is
   * due.
   */
  start(): Promise<void>;
  /** Starts the child after `delayMs`, unless it is halted or stopped before. */
  startAfter(delayMs: number): void;
  /** Stops in order; the child can be started again. Messages wait meanwhile. Idempotent. */
  halt(): Promise<void>;
  /** Stops in order and for good. Idempotent. */
  stop(): Promise<void>;
}

/** Decides what follows a child's crash. */
export interface Parent {
  readonly name: string;
  /** `verdict` is the verdict of the child's own rule. */
  crashed(child: Child, verdict: Verdict, reason: string): void;
  /** The child has ended for good and must be forgotten. */
  ended(child: Child): void;
}

export interface SupervisorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (report: SupervisorReport) => void;
}

/** Without a rule, a child that crashes too often is the parent's trouble at once. */
type OwnSpec = Pick<SupervisorSpec, 'name' | 'strategy'> & Partial<Pick<SupervisorSpec, 'restart'>>;

/**
 * Starts its children in order, stops them in reverse, and after a crash restarts the children that its strategy
 * selects.
 */
export class Supervisor implements Child, Parent {
  readonly name: string;
  readonly lifetime = 'permanent';
  readonly #spec: OwnSpec;
  readonly #parent: Parent;
  readonly #deps: SupervisorDeps;
  #children: readonly Child[] = [];
  /** Counts operations on several children at once. An operation that a later one has overtaken stops where it is. */
  #round = 0;
  #life = 0;
  #crashes: CrashHistory = [];
  #phase: 'idle' | 'rising' | 'starting' | 'running' | 'failed' | 'halted' | 'stopped' = 'idle';
  /** Children stopped for a common restart and not yet started again. */
  readonly #waiting = new Set<Child>();
  #notBefore: MonotonicMs = 0;
  /** Settles when the most recently halted children have stopped. */
  #halting: Promise<void> = Promise.resolve();
  #cancelRestart: (() => void) | undefined;

  constructor(spec: OwnSpec, parent: Parent, deps: SupervisorDeps) {
    this.name = spec.name;
    this.#spec = spec;
    this.#parent = parent;
    this.#deps = deps;
  }

  /** Sets the children, in order of start. Call only before the first start. */
  adopt(children: readonly Child[]): void {
    this.#children = children;
  }

  async start(): Promise<void> {
    if (this.#phase === 'rising' || this.#phase === 'starting' || this.#phase === 'running') return;
    if (this.#phase === 'stopped') return;
    this.#cancelRestart?.();
    this.#phase = 'rising';
    await this.#halting;
    // The supervisor was halted or stopped meanwhile.
    if (this.#phase !== 'rising') return;
    this.#phase = 'starting';
    const life = ++this.#life;
    const round = ++this.#round;
    for (const child of this.#children) this.#waiting.add(child);
    await this.#startWaiting(round);
    // A child that died while booting is handled by its own crash.
    if (life === this.#life && this.#phase === 'starting') this.#phase = 'running';
  }

  startAfter(delayMs: number): void {
    this.#cancelRestart?.();
    if (delayMs === 0) void this.start();
    else this.#cancelRestart = this.#deps.clock.after(delayMs, () => void this.start());
  }

  async halt(): Promise<void> {
    this.#cancelRestart?.();
    if (this.#phase === 'stopped') return;
    this.#phase = 'halted';
    await this.#haltAll();
  }

  async stop(): Promise<void> {
    this.#cancelRestart?.();
    this.#phase = 'stopped';
    this.#round++;
    for (const child of this.#children.toReversed()) await child.stop();
  }

  crashed(child: Child, verdict: Verdict, reason: string): void {
    if (this.#phase !== 'starting' && this.#phase !== 'running') return;
    if (verdict.type === 'escalate') {
      if (this.#spec.restart === undefined) return this.#parent.crashed(child, verdict, reason);
      return this.#fail(`${child.name} crashed too often: ${reason}`, this.#spec.restart);
    }
    const affected = affectedBy(this.#spec.strategy, this.#children, child);
    if (affected.length <= 1) child.startAfter(verdict.afterMs);
    else void this.#restartTogether(affected, verdict.afterMs);
  }

  ended(child: Child): void {
    this.#children = this.#children.filter((one) => one !== child);
    this.#parent.ended(child);
  }

  /**
   * Stops the children in reverse order and starts them in order. The crashed child has ended already, so halting it
   * does nothing.
   */
  async #restartTogether(affected: readonly Child[], afterMs: number): Promise<void> {
    const round = ++this.#round;
    // An overtaken round leaves its unstarted children to the next round. That round starts them no earlier.
    for (const child of affected) this.#waiting.add(child);
    const now = this.#deps.clock.monotonic();
    this.#notBefore = Math.max(this.#notBefore, later(now, afterMs));
    const due = Promise.withResolvers<void>();
    this.#cancelRestart?.();
    if (this.#notBefore > now) this.#cancelRestart = this.#deps.clock.after(this.#notBefore - now, due.resolve);
    else due.resolve();
    for (const child of affected.toReversed()) {
      // A temporary child does not come back; `ended` removes it from the list.
      await (child.lifetime === 'temporary' ? child.stop() : child.halt());
    }
    if (round !== this.#round) return;
    await due.promise;
    await this.#startWaiting(round);
  }

  async #startWaiting(round: number): Promise<void> {
    for (const child of this.#children) {
      if (round !== this.#round) return;
      // The child stops waiting when its start begins. If the start fails, the child's own crash decides.
      if (this.#waiting.delete(child)) await child.start();
    }
  }

  /** No later round overtakes this one: the next start waits for it. */
  #haltAll(): Promise<void> {
    this.#round++;
    this.#waiting.clear();
    const earlier = this.#halting;
    const halt = async (): Promise<void> => {
      await earlier;
      for (const child of this.#children.toReversed()) await child.halt();
    };
    this.#halting = halt();
    return this.#halting;
  }

  #fail(reason: string, rule: RestartRule): void {
    const booting = this.#phase === 'starting';
    this.#phase = 'failed';
    const { clock, random, report } = this.#deps;
    const crash = { at: clock.monotonic(), booting, chance: random() };
    const { history, verdict } = afterCrash(this.#crashes, crash, rule);
    this.#crashes = history;
    report({
      supervisor: this.#parent.name,
      child: this.name,
      incarnation: this.#life,
      reason,
      verdict: verdict.type,
    });
    void this.#haltAll();
    this.#parent.crashed(this, verdict, reason);
  }
}
