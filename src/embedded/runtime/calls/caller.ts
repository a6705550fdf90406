import type { Clock } from '../../../actor/clock.ts';

/** The caller of a call. It may stop waiting: its deadline passes, or its process dies. */
export interface Caller {
  /** Calls `leave` when the caller goes away before its answer is ready. */
  whenGone(leave: () => void): void;
}

/** A caller within the process, which always waits. */
export const patientCaller: Caller = { whenGone() {} };

/** Resolves after the delay; without one, on the next microtask. */
export const pause = (clock: Clock, delayMs: number): Promise<void> =>
  delayMs <= 0 ? Promise.resolve() : new Promise((resolve) => void clock.after(delayMs, resolve));

/** Like {@link pause}, but resolves with whether the caller went away first. */
export const pauseFor = (clock: Clock, delayMs: number, caller: Caller): Promise<'elapsed' | 'gone'> =>
  delayMs <= 0
    ? Promise.resolve('elapsed')
    : new Promise((resolve) => {
        const cancel = clock.after(delayMs, () => resolve('elapsed'));
        caller.whenGone(() => {
          cancel();
          resolve('gone');
        });
      });
