import { isInTime } from './compare-times.ts';
import { isHurry, isRestOfGrace, noLiberties, type Liberties } from './liberties.ts';
import { isGraceAfterHook } from './real-time.ts';
import type { ExpectedCall, ExpectedCallStep } from './scenario.ts';

/** A recorded call, and whether it is optional. */
const asCall = (step: string | ExpectedCall): ExpectedCall => (typeof step === 'string' ? { call: step } : step);

/** `grace=8..9` allows for any number of seconds in the range. */
function fitsCall(recorded: string, seen: string): boolean {
  if (recorded === seen) return true;
  const range = /^(?<head>.* grace=)(?<from>\d+)\.\.(?<to>\d+)(?<tail>.*)$/.exec(recorded)?.groups;
  if (range === undefined) return false;
  const { head = '', from, to, tail = '' } = range;
  if (!seen.startsWith(head) || !seen.endsWith(tail)) return false;
  const seconds = Number(seen.slice(head.length, seen.length - tail.length));
  return seconds >= Number(from) && seconds <= Number(to);
}

/** Calls for a container that is never started are optional. */
const withChoice = (call: ExpectedCall, { overtaken }: Liberties): ExpectedCall =>
  [...overtaken].some((name) => call.call.includes(` ${name}#`)) ? { ...call, optional: true } : call;

/** When a call began, since the manifest was created, and how long it took. Seconds; absent: not timed. */
export interface CallTime {
  readonly at?: number | undefined;
  readonly took?: number | undefined;
}

export interface SeenCall {
  readonly text: string;
  readonly time: CallTime;
  /** The agent was not started again yet: a restart excuses nothing. */
  readonly isBeforeRestart?: boolean;
}

const isTimely = ({ t, took }: ExpectedCall, { time }: SeenCall): boolean =>
  isInTime(t, time.at) && isInTime(took, time.took);

/** The position in each lane of the current step. */
interface Place {
  readonly step: number;
  readonly lanes: readonly number[];
}

type Lanes = readonly (readonly ExpectedCall[])[];

const lanesOf = (step: ExpectedCallStep): Lanes =>
  typeof step !== 'string' && 'parallel' in step ? step.parallel.map((lane) => lane.map(asCall)) : [[asCall(step)]];

function* movesFrom(
  steps: readonly Lanes[],
  place: Place,
  { seen, liberties }: { readonly seen: SeenCall; readonly liberties: Liberties },
): Generator<Place> {
  const lanes = steps[place.step];
  if (lanes === undefined) return;
  for (const [lane, calls] of lanes.entries()) {
    for (let at = place.lanes[lane] ?? 0; at < calls.length; at++) {
      const call = calls[at];
      if (call === undefined) break;
      const { text } = seen;
      const isMeant =
        fitsCall(call.call, text) ||
        (seen.isBeforeRestart !== true && isRestOfGrace(call.call, text, liberties)) ||
        (liberties.realTime !== undefined && isGraceAfterHook(call.call, text, liberties.realTime));
      if (isMeant && isTimely(call, seen)) yield { step: place.step, lanes: place.lanes.with(lane, at + 1) };
      if (call.optional !== true) break;
    }
  }
  const isPassed = lanes.every((calls, lane) =>
    calls.slice(place.lanes[lane] ?? 0).every((call) => call.optional === true),
  );
  if (isPassed) yield* movesFrom(steps, startOf(steps, place.step + 1), { seen, liberties });
}

const startOf = (steps: readonly Lanes[], step: number): Place => ({ step, lanes: (steps[step] ?? []).map(() => 0) });

const keyOf = ({ step, lanes }: Place): string => `${step}:${lanes.join()}`;

/** Harmless repeats. */
const isHarmless = (call: string): boolean => call.startsWith('StopPodSandbox ');

/** Compares the changing calls with the recording. Returns the problem, or `undefined`. */
export function callProblem(
  expected: readonly ExpectedCallStep[],
  seen: readonly (string | SeenCall)[],
  liberties: Liberties = noLiberties,
): string | undefined {
  const steps = expected.map((step) => lanesOf(step).map((lane) => lane.map((call) => withChoice(call, liberties))));
  let places = new Map([['', startOf(steps, 0)]]);
  const made = new Set<string>();
  const calls = seen.map((call): SeenCall => (typeof call === 'string' ? { text: call, time: {} } : call));
  const texts = calls.map(({ text }) => text).join(', ');
  for (const [index, seenCall] of calls.entries()) {
    const { text: call, time } = seenCall;
    const next = new Map<string, Place>();
    const moves = (time: CallTime): readonly Place[] =>
      [...places.values()].flatMap((place) => [...movesFrom(steps, place, { seen: { ...seenCall, time }, liberties })]);
    for (const move of moves(time)) next.set(keyOf(move), move);
    if ((isHarmless(call) && made.has(call)) || isHurry(call, made, liberties))
      for (const [key, place] of places) next.set(key, place);
    made.add(call);
    if (next.size === 0 && moves({}).length > 0)
      return `call ${index} is late: ${call}, ${timeText(time)}\n   recorded: ${told(expected)}`;
    if (next.size === 0)
      return `call ${index} was not to come: ${call}\n   seen: ${texts}\n   recorded: ${told(expected)}`;
    places = next;
  }
  const isDone = [...places.values()].some(({ step, lanes }) =>
    steps
      .slice(step)
      .every((calls, further) =>
        calls.every((lane, index) =>
          lane.slice(further === 0 ? (lanes[index] ?? 0) : 0).every((call) => call.optional === true),
        ),
      ),
  );
  return isDone ? undefined : `calls are missing\n   seen: ${texts}\n   recorded: ${told(expected)}`;
}

const timeText = ({ at, took }: CallTime): string =>
  [at === undefined ? '' : `at ${at.toFixed(1)} s`, took === undefined ? '' : `took ${took.toFixed(1)} s`]
    .filter((part) => part !== '')
    .join(', ');

const spanText = ({ t, took }: ExpectedCall): string =>
  `${t === undefined ? '' : ` at ${t.join(' to ')} s`}${took === undefined ? '' : ` took ${took.join(' to ')} s`}`;

const told = (expected: readonly ExpectedCallStep[]): string =>
  expected
    .map((step) =>
      typeof step === 'string'
        ? step
        : 'parallel' in step
          ? `[${step.parallel.map((lane) => lane.map((call) => `${asCall(call).call}${spanText(asCall(call))}`).join(', ')).join(' | ')}]`
          : `${step.call}${spanText(step)}${step.optional === true ? ' (optional)' : ''}`,
    )
    .join(', ');
