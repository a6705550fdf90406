import { noLiberties, type Liberties } from './liberties.ts';
import { mayGoUntold } from './real-time.ts';
import type { ExpectedEvent } from './scenario.ts';
import { fitsText } from './text-pattern.ts';

export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly field?: string | undefined;
  readonly message: string;
}

const fits = (recorded: ExpectedEvent, seen: SeenEvent): boolean =>
  recorded.type === seen.type &&
  recorded.reason === seen.reason &&
  (recorded.field ?? '') === (seen.field ?? '') &&
  fitsText(recorded.message, seen.message);

const isOf = (names: ReadonlySet<string>, { field = '' }: { readonly field?: string | undefined }): boolean =>
  [...names].some((name) => field.endsWith(`{${name}}`));

/** Type and reason of an event, and the container that the event is about. */
const placeOf = ({ type, reason, field = '' }: SeenEvent | ExpectedEvent): string => `${type} ${reason} ${field}`;

/**
 * Compares events with the recording. Returns the problem, or `undefined`. Repeats are allowed: events of a recorded type and
 * reason about the same container.
 */
export function eventProblem(
  expected: readonly ExpectedEvent[],
  seen: readonly SeenEvent[],
  liberties: Liberties = noLiberties,
): string | undefined {
  const { overtaken, restarted, realTime } = liberties;
  const mayBeMissed = (each: ExpectedEvent): boolean =>
    each.optional === true ||
    isOf(overtaken, each) ||
    (realTime !== undefined && isOf(restarted, each) && mayGoUntold(each, realTime));
  const missing = expected.filter((each) => !mayBeMissed(each) && !seen.some((event) => fits(each, event)));
  const told = new Set(expected.map(placeOf));
  // A hook is cut short with the grace period that it runs in.
  const isBetter = (event: SeenEvent): boolean =>
    (event.reason === 'BackOff' && isOf(restarted, event)) ||
    (event.reason === 'FailedPreStopHook' && liberties.isHurried);
  const extra = seen.filter((event) => !told.has(placeOf(event)) && !isBetter(event));
  if (missing.length === 0 && extra.length === 0) return undefined;
  const text = (event: ExpectedEvent | SeenEvent): string =>
    `${event.type} ${event.reason} ${event.field ?? ''} ${JSON.stringify(event.message)}`;
  const near = missing.map(
    (each) =>
      `\n   missing: ${text(each)}${seen
        .filter(({ reason }) => reason === each.reason)
        .slice(0, 2)
        .map((event) => `\n      seen: ${text(event)}`)
        .join('')}`,
  );
  return `events differ${near.join('')}${extra.map((event) => `\n   not to come: ${text(event)}`).join('')}`;
}
