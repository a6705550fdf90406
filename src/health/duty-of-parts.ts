import type { Duty, DutyAttempt } from './duty.ts';

/**
 * A duty towards many objects, such as the volumes of one driver. Trouble ends when each object that failed works again
 * or is gone. Without this, the success of one object would end the trouble of another.
 */
export class DutyOfParts<Part extends string = string> {
  readonly #duty: Duty;
  readonly #failing = new Set<Part>();

  constructor(duty: Duty) {
    this.#duty = duty;
  }

  /** Begins work on one part. `what`: the call and its object, for the report. */
  attempt(part: Part, what?: string): DutyAttempt {
    const attempt = this.#duty.attempt(what);
    return {
      worked: () => (this.#isLast(part) ? attempt.worked() : attempt.dropped()),
      failed: (why) => {
        this.#failing.add(part);
        attempt.failed(why);
      },
      dropped: () => attempt.dropped(),
    };
  }

  worked(part: Part): void {
    if (this.#isLast(part)) this.#duty.worked();
  }

  failed(part: Part, why: string): void {
    this.#failing.add(part);
    this.#duty.failed(why);
  }

  /** Returns the duty towards one part. */
  of(part: Part): Pick<Duty, 'worked' | 'failed'> {
    return { worked: () => this.worked(part), failed: (why) => this.failed(part, why) };
  }

  /** Drops the failures of parts that are gone. */
  keep(isPresent: (part: Part) => boolean): void {
    const gone = [...this.#failing].filter((part) => !isPresent(part));
    for (const part of gone) this.worked(part);
  }

  /** The duty itself is gone with all its parts. */
  cease(): void {
    this.#duty.cease();
  }

  #isLast(part: Part): boolean {
    this.#failing.delete(part);
    return this.#failing.size === 0;
  }
}
