import { isDeepStrictEqual } from 'node:util';
import { isInTime } from './compare-times.ts';
import type { ContainerEntry, ExpectedStatus, Span, StatusEntry } from './scenario.ts';
import { afterHooks, isNeedless, noLiberties, tellsEnd, withoutBetter, type Liberties } from './liberties.ts';
import { mayBeOvertaken, withoutLoneEnds } from './real-time.ts';
import { fitsText } from './text-pattern.ts';

type Leaves = ReadonlyMap<string, string>;

/** Members of a recorded entry that are not part of the status. */
const aside = new Set(['t', 'optional']);

/** A status as path → value. Each leaf is compared separately. */
function leavesOf(entry: object, path = '', leaves = new Map<string, string>()): Map<string, string> {
  for (const [key, value] of Object.entries(entry)) {
    if (path === '' && aside.has(key)) continue;
    const at = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'object' && value !== null) leavesOf(value, at, leaves);
    else leaves.set(at, String(value));
  }
  return leaves;
}

const fits = (recorded: string | undefined, seen: string | undefined): boolean =>
  recorded === seen || (recorded !== undefined && seen !== undefined && fitsText(recorded, seen));

const paths = (...all: readonly Leaves[]): ReadonlySet<string> => new Set(all.flatMap((leaves) => [...leaves.keys()]));

const isEqual = (recorded: Leaves, seen: Leaves): boolean =>
  [...paths(recorded, seen)].every((path) => fits(recorded.get(path), seen.get(path)));

/** `true` if each leaf equals that of the status before or after: an intermediate status between the two. */
const isBetween = (before: Leaves, after: Leaves, seen: Leaves): boolean =>
  [...paths(before, after, seen)].every(
    (path) =>
      fits(before.get(path), seen.get(path)) ||
      fits(after.get(path), seen.get(path)) ||
      namesSome(before.get(path), seen.get(path)) ||
      namesSome(after.get(path), seen.get(path)) ||
      (before.get(path) === 'True' &&
        after.get(path)?.startsWith('False/') === true &&
        unready.test(seen.get(path) ?? '')),
  );

const unready = /^False\/ContainersNotReady\/containers with unready status: \[(?<names>[^\]]*)\]$/;

/** An intermediate status names only some of the containers that become unready one after the other. */
function namesSome(recorded: string | undefined, seen: string | undefined): boolean {
  const [all, some] = [recorded, seen].map((text) => unready.exec(text ?? '')?.groups?.['names']?.split(' '));
  return all !== undefined && some !== undefined && some.every((name) => all.includes(name));
}

const waitsForStart: ReadonlySet<string> = new Set(['waiting/ContainerCreating', 'waiting/PodInitializing']);

/** `true` before the first container runs: a faster kubelet may skip these statuses. */
const isStarting = ({ phase, deleting, gone, init = {}, containers = {} }: StatusEntry): boolean =>
  phase === 'Pending' &&
  deleting === undefined &&
  gone !== true &&
  [...Object.values(init), ...Object.values(containers)].every(({ state }) => waitsForStart.has(state));

/**
 * The recorded kubelet reports a pod's address only with the next sync. This agent reports it as soon as the sandbox has an
 * address, which is deliberately better: a pending pod with a ready sandbox may already have its address.
 */
const withoutEarlyAddress = (entry: StatusEntry, recorded: Leaves): StatusEntry => {
  const isEarly = entry.phase === 'Pending' && entry.conditions?.['PodReadyToStartContainers'] === 'True';
  if (!isEarly || recorded.has('ip')) return entry;
  const { ip: _, ...rest } = entry;
  return rest;
};

/**
 * The recorded kubelet mostly reports a back-off only with the next sync, and shows the failure before that. This agent
 * reports the back-off when it decides it, which is deliberately better: the back-off may replace the failure.
 */
function withoutEarlyBackOff(entry: StatusEntry, recorded: Leaves): StatusEntry {
  const { init, containers } = entry;
  return {
    ...entry,
    ...(init !== undefined && { init: before(init, 'init', recorded) }),
    ...(containers !== undefined && { containers: before(containers, 'containers', recorded) }),
  };
}

type Entries = NonNullable<StatusEntry['containers']>;

const before = (list: Entries, path: string, recorded: Leaves): Entries =>
  Object.fromEntries(
    Object.entries(list).map(([name, container]) => {
      const leaf = (member: string): string | undefined => recorded.get(`${path}.${name}.${member}`);
      return [name, beforeBackOff(container, leaf) ?? container];
    }),
  );

/** The container as it was when the back-off began, if the recording shows that. */
function beforeBackOff(
  container: ContainerEntry,
  leaf: (member: string) => string | undefined,
): ContainerEntry | undefined {
  const { state, message = '', last, lastMessage, ...rest } = container;
  const [recordedState = '', recordedMessage = '', recordedLast] = [leaf('state'), leaf('message'), leaf('last')];
  const given = (members: { message?: string | undefined; last?: string | undefined }): object =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  if (state === 'waiting/CrashLoopBackOff') {
    if (recordedState === last) {
      return { ...rest, state: recordedState, ...given({ message: lastMessage, last: recordedLast }) };
    }
    // The failed start left the container whose back-off this is.
    if (startFailed.has(recordedState) && recordedLast === last) {
      return { ...container, state: recordedState, message: recordedMessage };
    }
  }
  if (state === 'waiting/ImagePullBackOff' && recordedState.startsWith('waiting/')) {
    const why = `: ${recordedState.slice('waiting/'.length)}: ${recordedMessage}`;
    if (message.endsWith(why)) return { ...container, state: recordedState, message: recordedMessage };
  }
  return undefined;
}

const startFailed: ReadonlySet<string> = new Set(['waiting/RunContainerError', 'waiting/PostStartHookError']);

const inTerms = (entry: StatusEntry, recorded: Leaves): StatusEntry =>
  withoutEarlyBackOff(withoutEarlyAddress(entry, recorded), recorded);

/** The recorded entries that may match the last seen status. Starts before the first entry. */
type Reached = ReadonlySet<number>;

interface Recorded {
  readonly leaves: Leaves;
  readonly t: Span | undefined;
  readonly mayBeMissed: boolean;
}

function follow(
  recorded: readonly Recorded[],
  reached: Reached,
  {
    entry,
    liberties,
    at: seenAt,
  }: { readonly entry: StatusEntry; readonly liberties: Liberties; readonly at?: number | undefined },
): Reached {
  const next = new Set<number>();
  const seenAs = (leaves: Leaves): Leaves => withoutBetter(leavesOf(inTerms(entry, leaves)), leaves, liberties);
  for (const at of reached) {
    const here = recorded[at];
    for (let ahead = at + 1; ahead < recorded.length; ahead++) {
      const later = recorded[ahead];
      if (later === undefined) break;
      const seen = seenAs(later.leaves);
      if (isEqual(later.leaves, seen)) {
        if (isInTime(later.t, seenAt)) next.add(ahead);
      } else if (here !== undefined && isBetween(here.leaves, later.leaves, seen)) next.add(at);
      // Once the hooks have returned, it is told as recorded.
      else if (here !== undefined && isEqual(later.leaves, afterHooks(seen, later.leaves, liberties))) next.add(at);
      if (here !== undefined && liberties.realTime !== undefined) {
        const withoutEnds = withoutLoneEnds(seen, here.leaves, later.leaves);
        if (withoutEnds !== seen && isBetween(here.leaves, later.leaves, withoutEnds)) next.add(at);
      }
      if (!later.mayBeMissed) break;
    }
    if (here === undefined) continue;
    const asHere = seenAs(here.leaves);
    if (isEqual(here.leaves, asHere) || tellsEnd(entry, liberties, [here.leaves, asHere])) next.add(at);
  }
  return next;
}

export interface StatusComparison {
  readonly liberties?: Liberties;
  /** When a status was seen first, in seconds since the manifest was created; undefined: not timed. */
  readonly timeOf?: (entry: StatusEntry) => number | undefined;
  /** When the agent was started again, as above. Before that a restart excuses nothing. */
  readonly restartedAt?: number | undefined;
}

/** Compares statuses with the recording. Returns the problem, or `undefined`. Equal neighbours count once. */
export function statusProblem(
  expected: readonly ExpectedStatus[],
  seen: readonly StatusEntry[],
  { liberties = noLiberties, timeOf = () => undefined, restartedAt }: StatusComparison = {},
): string | undefined {
  if (expected.length === 0) return seen.length === 0 ? undefined : `no pod was to appear: ${JSON.stringify(seen[0])}`;
  const recordedFor = (allowed: Liberties): readonly Recorded[] =>
    expected.map((entry, index): Recorded => {
      const isOnTheWay = index > 0 && index < expected.length - 1 && isStarting(entry);
      const leaves = leavesOf(entry);
      const before = expected[index - 1];
      const isLast = index === expected.length - 1;
      const mayBeLeftOut = !isLast && before !== undefined && isNeedless(leavesOf(before), leaves, allowed);
      // Written once more, differing in what recordings leave out: to have said it once is enough.
      const isRepeated = before !== undefined && isDeepStrictEqual(leaves, leavesOf(before));
      const isOvertaken = !isLast && allowed.realTime !== undefined && mayBeOvertaken(expected, index);
      const mayBeMissed = entry.optional === true || isOnTheWay || mayBeLeftOut || isRepeated || isOvertaken;
      return { leaves, t: entry.t, mayBeMissed };
    });
  const beforeRestart: Liberties = { ...liberties, isRestarted: false };
  const recorded = recordedFor(liberties);
  const recordedBefore = restartedAt === undefined ? recorded : recordedFor(beforeRestart);
  let reached: Reached = new Set([-1]);
  for (const [index, entry] of seen.entries()) {
    const at = timeOf(entry);
    const isBefore = restartedAt !== undefined && at !== undefined && at < restartedAt;
    const known = isBefore ? recordedBefore : recorded;
    const allowed = isBefore ? beforeRestart : liberties;
    const next = follow(known, reached, { entry, liberties: allowed, at });
    if (next.size === 0 && follow(known, reached, { entry, liberties: allowed }).size > 0)
      return `status ${index} is late, at ${at?.toFixed(1)} s: ${JSON.stringify(entry)}; recorded at ${spansAfter(recorded, reached)}`;
    if (next.size === 0) return `status ${index} does not fit: ${difference(recorded, reached, leavesOf(entry))}`;
    reached = next;
  }
  const last = recorded.at(-1);
  const newestSeen = seen.at(-1);
  // Equal neighbours count once, also if the recording returned to an earlier status.
  if (
    last !== undefined &&
    newestSeen !== undefined &&
    isEqual(last.leaves, withoutBetter(leavesOf(inTerms(newestSeen, last.leaves)), last.leaves, liberties))
  ) {
    const mayEndAt = (at: number): boolean => recorded.slice(at + 1, -1).every(({ mayBeMissed }) => mayBeMissed);
    if ([...reached].some(mayEndAt)) return undefined;
  }
  if (last !== undefined && reached.has(recorded.length - 1)) {
    const newest = seen.at(-1);
    const final =
      newest === undefined ? new Map() : withoutBetter(leavesOf(inTerms(newest, last.leaves)), last.leaves, liberties);
    return isEqual(last.leaves, final) ? undefined : `the last status differs: ${leafDifference(last.leaves, final)}`;
  }
  const missed = expected[Math.max(...reached) + 1];
  return `never seen: ${JSON.stringify(missed)}; last was ${JSON.stringify(seen.at(-1))}`;
}

/** When the entries that may be next were recorded. */
const spansAfter = (recorded: readonly Recorded[], reached: Reached): string =>
  recorded
    .slice(Math.max(...reached) + 1)
    .flatMap(({ t }) => (t === undefined ? [] : [`${t.join(' to ')} s`]))
    .slice(0, 3)
    .join(', ');

function difference(recorded: readonly Recorded[], reached: Reached, seen: Leaves): string {
  const at = Math.max(...reached);
  const candidates: string[] = [];
  for (let ahead = Math.max(at, 0); ahead < recorded.length && ahead < at + 4; ahead++) {
    const entry = recorded[ahead];
    if (entry !== undefined) candidates.push(`\n   recorded ${ahead}: ${leafDifference(entry.leaves, seen)}`);
  }
  return `${JSON.stringify(Object.fromEntries(seen))}${candidates.join('')}`;
}

const leafDifference = (recorded: Leaves, seen: Leaves): string =>
  [...paths(recorded, seen)]
    .filter((path) => !fits(recorded.get(path), seen.get(path)))
    .map((path) => `${path} ${recorded.get(path) ?? '(absent)'} → ${seen.get(path) ?? '(absent)'}`)
    .join('; ') || 'equal';
