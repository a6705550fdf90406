import type { Clock, MonotonicMs } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import { humanDuration } from '../kube/text/human-duration.ts';
import {
  decideDuty,
  newDuty,
  nextJudgement,
  type DutyInput,
  type DutyRhythm,
  type DutyState,
  type Trouble,
} from './duty-state.ts';

/** Work that an actor repeats for as long as it lives. */
export interface DutySpec {
  /** The work, such as `write pod statuses`. It completes "cannot …" and "can … again", and names the duty. */
  readonly work: string;
  /** The consequence while the work fails, as a sentence. */
  readonly follows: string;
  /** `true` if the node cannot run pods meanwhile. It is then not Ready. */
  readonly keepsNodeFromReady?: boolean;
  /** `always` when `undefined`. */
  readonly rhythm?: DutyRhythm;
  /** `true` if the actor itself logs its failures. A hang is logged by the duty all the same. */
  readonly isLoggedByActor?: boolean;
}

/** A duty that has failed for more than 10 s. */
export interface FailingDuty extends DutySpec {
  /** Milliseconds since the first failure. */
  readonly failingForMs: number;
  readonly why: string;
}

export interface DutyDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Told when trouble begins and then every `REPEAT_MS`, and with `undefined` when it is over. */
  readonly report: (failing: FailingDuty | undefined) => void;
}

/** How the attempt ended: with a success, with a problem, or without meaning anything. */
export interface DutyAttempt {
  worked(): void;
  failed(why: string): void;
  dropped(): void;
}

/** How often trouble that goes on is reported, in case that a report was lost. It is logged once. */
export const REPEAT_MS = 30_000;

const WHY_AT_MOST = 500;

/** Notices when one kind of work has not succeeded for 10 s, and when it succeeds again. */
export class Duty {
  readonly #spec: DutySpec;
  readonly #deps: DutyDeps;
  #state: DutyState = newDuty;
  #attempts = 0;
  #since: MonotonicMs = 0;
  #hasWorked = false;
  #isCeased = false;
  #isLogged = false;
  #disarm: () => void = () => {};
  #armedFor: MonotonicMs | undefined;
  #repeatAt: MonotonicMs | undefined;

  constructor(spec: DutySpec, deps: DutyDeps) {
    this.#spec = spec;
    this.#deps = deps;
  }

  worked(): void {
    if (this.#isCeased) return;
    if (!this.#hasWorked) {
      // An earlier incarnation may have died in trouble.
      this.#hasWorked = true;
      if (!this.#state.reported) this.#deps.report(undefined);
    }
    // The usual case, and a frequent one.
    if (this.#state.failing === undefined && !this.#state.reported) return;
    this.#take({ type: 'worked', attempt: undefined });
  }

  failed(why: string): void {
    this.#take({ type: 'failed', attempt: undefined, why });
  }

  /** Begins an attempt that counts as trouble when it does not end. `what`: the call and its object, for the report. */
  attempt(what?: string): DutyAttempt {
    const attempt = (this.#attempts += 1);
    this.#take({ type: 'begun', attempt, what });
    return {
      worked: () => {
        this.#hasWorked = true;
        this.#take({ type: 'worked', attempt });
      },
      failed: (why) => this.#take({ type: 'failed', attempt, why }),
      dropped: () => this.#take({ type: 'dropped', attempt }),
    };
  }

  /** Withdraws the duty without a log line: its object is gone. Nothing is reported afterwards. */
  cease(): void {
    this.#isCeased = true;
    this.#disarm();
    if (this.#state.reported) this.#deps.report(undefined);
  }

  #take(input: DutyInput): void {
    if (this.#isCeased) return;
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const { state, effects } = decideDuty(this.#state, input, { now, rhythm: this.#spec.rhythm ?? 'always' });
    this.#state = state;
    for (const effect of effects) {
      if (effect.type === 'report-trouble') this.#trouble(effect.trouble, effect.isNew, now);
      else this.#over(now);
    }
    this.#arm(now);
  }

  /** While trouble is reported the timer repeats the report; before, it waits for trouble to last long enough. */
  #arm(now: MonotonicMs): void {
    const at = this.#state.reported ? (this.#repeatAt ?? now + REPEAT_MS) : nextJudgement(this.#state);
    this.#repeatAt = this.#state.reported ? at : undefined;
    if (at === this.#armedFor) return;
    this.#disarm();
    this.#armedFor = at;
    if (at === undefined) return;
    this.#disarm = this.#deps.clock.after(Math.max(0, at - now), () => {
      this.#armedFor = undefined;
      this.#repeatAt = undefined;
      this.#take({ type: 'due' });
    });
  }

  #trouble({ since, why, isHang }: Trouble, isNew: boolean, now: MonotonicMs): void {
    const { clock, log, report } = this.#deps;
    const { work, follows } = this.#spec;
    const failingForMs = now - since;
    const cut = excerpt(why, WHY_AT_MOST);
    if (isNew) {
      this.#since = since;
      this.#isLogged = isHang || this.#spec.isLoggedByActor !== true;
    }
    if (isNew && this.#isLogged) {
      const at = new Date(clock.now() - failingForMs).toISOString();
      log.warn({ since: at }, `cannot ${work} since ${humanDuration(failingForMs)}: ${cut}; ${follows}; retrying`);
    }
    report({ ...this.#spec, why: cut, failingForMs });
  }

  #over(now: MonotonicMs): void {
    if (this.#isLogged) this.#logEnd(now);
    this.#deps.report(undefined);
  }

  #logEnd(now: MonotonicMs): void {
    this.#deps.log.info({}, `can ${this.#spec.work} again, after ${humanDuration(now - this.#since)}`);
  }
}
