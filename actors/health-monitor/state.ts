import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { Address } from '../../src/actor/messages/message.ts';
import type { FailingDuty } from '../../src/health/duty.ts';
import type { ActorDuty } from './protocol.ts';

/** The failing duties by actor and work. Immutable. */
export type HealthState = ReadonlyMap<string, KnownTrouble>;

interface KnownTrouble {
  readonly actor: Address;
  readonly duty: FailingDuty;
  readonly since: MonotonicMs;
  readonly reportedAt: MonotonicMs;
}

/** A duty that is not reported for this long belongs to an actor that is gone, or its end was lost. */
export const FORGET_AFTER_MS = 90_000;

export type HealthInput =
  | { readonly type: 'failing'; readonly actor: Address; readonly duty: FailingDuty }
  | { readonly type: 'working'; readonly actor: Address; readonly work: string }
  | { readonly type: 'forget' };

/** Trouble of a duty that began, changed its reason, or is over: `duty` is then `undefined`. */
export interface HealthChange {
  readonly source: string;
  readonly duty: FailingDuty | undefined;
}

export const newHealth: HealthState = new Map();

export const sourceOf = (actor: Address, work: string): string => `${actor}: ${work}`;

export function decideHealth(
  state: HealthState,
  input: HealthInput,
  now: MonotonicMs,
): { readonly state: HealthState; readonly changes: readonly HealthChange[] } {
  switch (input.type) {
    case 'failing': {
      const { actor, duty } = input;
      const source = sourceOf(actor, duty.work);
      const known = state.get(source);
      const next = { actor, duty, since: known?.since ?? now - duty.failingForMs, reportedAt: now };
      const isNews = known?.duty.why !== duty.why;
      return { state: new Map([...state, [source, next]]), changes: isNews ? [{ source, duty }] : [] };
    }
    case 'working':
      return dropped(state, (source) => source === sourceOf(input.actor, input.work));
    case 'forget':
      return dropped(state, (_, { reportedAt }) => now - reportedAt > FORGET_AFTER_MS);
    default:
      return input satisfies never;
  }
}

function dropped(state: HealthState, isOver: (source: string, trouble: KnownTrouble) => boolean) {
  const over = [...state].filter(([source, trouble]) => isOver(source, trouble)).map(([source]) => source);
  if (over.length === 0) return { state, changes: [] };
  return {
    state: new Map([...state].filter(([source]) => !over.includes(source))),
    changes: over.map((source) => ({ source, duty: undefined })),
  };
}

/** Returns all failing duties as of `now`, by actor and work. */
export const failingOf = (state: HealthState, now: MonotonicMs): readonly ActorDuty[] =>
  [...state]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { actor, duty, since }]) => ({ ...duty, actor, failingForMs: now - since }));
