import type { Lifetime, SupervisorReport, SupervisorSpec } from './child.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { afterCrash, type CrashHistory, type RestartRule, type Verdict } from './restart-budget.ts';
import { affectedBy } from './strategy.ts';

/** What a supervisor keeps: an actor, or another supervisor. */
export interface Child {
  readonly name: string;
  readonly lifetime: Lifetime;
  /** Also after a crash or a halt. Idempotent. Resolves when it runs, or when it is known to be tried again later. */
  start(): Promise<void>;
  /** Starts it so much later, unless it is halted or stopped before. */
  startAfter(delayMs: number): void;
  /** An orderly stop after which it can be started again. What it is told meanwhile waits. Idempotent. */
  halt(): Promise<void>;
  /** An orderly stop for good. Idempotent. */
  stop(): Promise<void>;
}

/** Who decides what comes after a child's crash. */
export interface Parent {
  readonly name: string;
  /** `verdict`: what the child's own rule says. */
  crashed(child: Child, verdict: Verdict, reason: string): void;
  /** The child has ended for good and is to be forgotten. */
  ended(child: Child): void;
}

export interface SupervisorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (report: SupervisorReport) => void;
}

/** Without a rule, a child that cannot be kept alive is the parent's trouble at once. */
type OwnSpec = Pick<SupervisorSpec, 'name' | 'strategy'> & Partial<Pick<SupervisorSpec, 'restart'>>;

/** Starts its children in order, stops them in reverse, and restarts after a crash those whom its strategy says. */
export class Supervisor implements Child, Parent {
  readonly name: string;
  readonly lifetime = 'permanent';
  readonly #spec: OwnSpec;
  readonly #parent: Parent;
  readonly #deps: SupervisorDeps;
  #children: readonly Child[] = [];
  /** Counts what is done to several children at once: what a later one has overtaken stops where it is. */
  #round = 0;
  #life = 0;
  #crashes: CrashHistory = [];
  #phase: 'idle' | 'rising' | 'starting' | 'running' | 'failed' | 'halted' | 'stopped' = 'idle';
  /** Stopped for a restart in common and not started again yet. */
  readonly #waiting = new Set<Child>();
  #notBefore = 0;
  /** Settles when the children that were last to be halted are. */
  #halting: Promise<void> = Promise.resolve();
  #cancelRestart: (() => void) | undefined;

  constructor(spec: OwnSpec, parent: Parent, deps: SupervisorDeps) {
    this.name = spec.name;
    this.#spec = spec;
    this.#parent = parent;
    this.#deps = deps;
  }

  /** In order of start. Only before the first start. */
  adopt(children: readonly Child[]): void {
    this.#children = children;
  }

  async start(): Promise<void> {
    if (this.#phase === 'rising' || this.#phase === 'starting' || this.#phase === 'running') return;
    if (this.#phase === 'stopped') return;
    this.#cancelRestart?.();
    this.#phase = 'rising';
    await this.#halting;
    // Halted or stopped meanwhile.
    if (this.#phase !== 'rising') return;
    this.#phase = 'starting';
    const life = ++this.#life;
    const round = ++this.#round;
    for (const child of this.#children) this.#waiting.add(child);
    await this.#startWaiting(round);
    // A child that died while booting is seen to by its own crash.
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
      return this.#fail(`${child.name} could not be kept alive: ${reason}`, this.#spec.restart);
    }
    const affected = affectedBy(this.#spec.strategy, this.#children, child);
    if (affected.length <= 1) child.startAfter(verdict.afterMs);
    else void this.#restartTogether(affected, verdict.afterMs);
  }

  ended(child: Child): void {
    this.#children = this.#children.filter((one) => one !== child);
    this.#parent.ended(child);
  }

  /** They stop in reverse order and start in order. The one that crashed has ended already, so halting it does nothing. */
  async #restartTogether(affected: readonly Child[], afterMs: number): Promise<void> {
    const round = ++this.#round;
    // A round that is overtaken leaves what it has not started to the next, and that starts no earlier than it would have.
    for (const child of affected) this.#waiting.add(child);
    const now = this.#deps.clock.monotonic();
    this.#notBefore = Math.max(this.#notBefore, now + afterMs);
    const due = Promise.withResolvers<void>();
    this.#cancelRestart?.();
    if (this.#notBefore > now) this.#cancelRestart = this.#deps.clock.after(this.#notBefore - now, due.resolve);
    else due.resolve();
    for (const child of affected.toReversed()) {
      // A temporary child does not come back; `ended` takes it off the list.
      await (child.lifetime === 'temporary' ? child.stop() : child.halt());
    }
    if (round !== this.#round) return;
    await due.promise;
    await this.#startWaiting(round);
  }

  async #startWaiting(round: number): Promise<void> {
    for (const child of this.#children) {
      if (round !== this.#round) return;
      // Not waiting any more once it is being started: if it dies of that, its own crash says what follows.
      if (this.#waiting.delete(child)) await child.start();
    }
  }

  /** Nothing overtakes this: whoever starts them again waits for it. */
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
