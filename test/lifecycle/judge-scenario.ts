import { callProblem, type CallTime } from './compare-calls.ts';
import { eventProblem } from './compare-events.ts';
import { statusProblem } from './compare-statuses.ts';
import { timeProblem } from './compare-times.ts';
import { foreignTime, type Interval } from './foreign-time.ts';
import {
  libertiesFor,
  mayGoEarlier,
  noLiberties,
  orEarlier,
  postStartsOf,
  withoutFollowing,
  type Liberties,
} from './liberties.ts';
import { withRealStart } from './live/moments-of-a-real-start.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ObjectRecorder } from './record-objects.ts';
import type { Waited } from './real-time.ts';
import type { ExpectedProbe, Scenario, Span, StatusEntry } from './scenario.ts';

/** The observations while a scenario was played. Instants are virtual milliseconds. */
export interface Played {
  readonly calls: readonly RecordedCall[];
  /** The runs of probes; `undefined` when not recorded. */
  readonly probes?: readonly RecordedCall[];
  readonly objects: ObjectRecorder;
  readonly deletedAt: readonly number[];
  /** When the manifest was created; absent: times since then are not compared. */
  readonly createdAt?: number;
  /** When the agent was first started again; absent: never, or not written down. */
  readonly restartedAt?: number;
  /** When the agent was killed. */
  readonly killedAt?: readonly number[];
  /** Pods of scenarios that were played on the same node. */
  readonly others?: ReadonlySet<string>;
  /** Crashes, and the reason why the scenario could not be played to its end. */
  readonly problems: readonly string[];
  /** Set for real containers; `undefined` when every call takes its scripted time. */
  readonly runtime?: 'real';
  /** How long the machine kept processes waiting in an interval, in milliseconds; absent in virtual time. */
  readonly waited?: Waited;
  /** The intervals in which an agent was restarting. */
  readonly agentStarts?: readonly Interval[];
}

const seconds = (ms: number): number => ms / 1_000;

/** Returns all differences from the recording, except the deliberate ones. */
export const problemsOf = (scenario: Scenario, played: Played): readonly string[] =>
  judged(scenario, played, (pod) => libertiesFor(scenario, pod, played));

/** Returns all differences from the recording, including the deliberate ones. */
export const differencesFrom = (scenario: Scenario, played: Played): readonly string[] =>
  judged(scenario, played, () => noLiberties);

function judged(scenario: Scenario, played: Played, libertiesOf: (pod: string) => Liberties): readonly string[] {
  const { expected } = scenario;
  const problems: (string | undefined)[] = [
    ...played.problems,
    ...unrecorded(expected, played),
    ...readyTooEarly(scenario, played),
  ];
  for (const [pod, statuses] of Object.entries(expected.status)) {
    const liberties = libertiesOf(pod);
    const seen = withoutFollowing(played.objects.history(pod).entries, liberties);
    const recorded = withoutFollowing(statuses, liberties);
    const observable = liberties.realTime === undefined ? recorded : withRealStart(recorded);
    problems.push(
      withName(
        pod,
        statusProblem(observable, seen, {
          liberties,
          timeOf: timeOf(played),
          restartedAt: sinceCreation(played.restartedAt, played),
        }),
      ),
    );
  }
  for (const [pod, steps] of Object.entries(expected.calls)) {
    const seen = played.calls.filter((call) => call.pod === pod && !call.method.startsWith('Remove'));
    problems.push(
      withName(
        pod,
        callProblem(
          steps,
          seen.map((call) => ({
            text: call.text,
            time: callTime(call, played),
            isBeforeRestart: call.began < (played.restartedAt ?? Number.NEGATIVE_INFINITY),
          })),
          libertiesOf(pod),
        ),
      ),
    );
  }
  for (const [pod, removed] of Object.entries(expected.removed ?? {})) {
    const seen = new Set(played.calls.filter((call) => call.pod === pod).map(({ text }) => text));
    const { overtaken } = libertiesOf(pod);
    const isNeedless = (text: string): boolean => [...overtaken].some((name) => text.includes(` ${name}#`));
    const missing = removed.filter((text) => !seen.has(text) && !isNeedless(text));
    if (missing.length > 0) problems.push(`${pod}: not removed: ${missing.join(', ')}`);
  }
  for (const [pod, events] of Object.entries(expected.events)) {
    const seen = [...played.objects.events.values()].filter((event) => event.pod === pod);
    problems.push(withName(pod, eventProblem(events, seen, libertiesOf(pod))));
  }
  for (const [pod, probes] of Object.entries(expected.probes ?? {}))
    if (played.probes !== undefined) problems.push(...probes.map((probe) => probeProblem(pod, probe, played)));
  problems.push(...timeProblems(expected.timing ?? {}, played, libertiesOf));
  return problems.filter((problem) => problem !== undefined);
}

/** A pod of which a part is not recorded had nothing of that part, if the part is recorded at all. */
function* unrecorded({ status, calls, events }: Scenario['expected'], played: Played): Generator<string> {
  const named = new Set([status, calls, events].flatMap((part) => Object.keys(part)));
  // A case that names no pod compares none.
  if (named.size === 0) return;
  const isUnrecorded = (pod: string, part: object): boolean =>
    !(pod in part) && played.others?.has(pod) !== true && (!named.has(pod) || Object.keys(part).length > 0);
  for (const [pod, { entries }] of played.objects.pods)
    if (entries.length > 0 && isUnrecorded(pod, status)) yield `${pod}: no pod was to appear`;
  for (const { pod, method, text } of played.calls)
    if (!method.startsWith('Remove') && isUnrecorded(pod, calls)) yield `${pod}: no call was to come: ${text}`;
  for (const { pod, reason } of played.objects.events.values())
    if (isUnrecorded(pod, events)) yield `${pod}: no event was to come: ${reason}`;
}

/** No container is ready before its postStart hook has returned, even if the recording has the container ready afterwards. */
function* readyTooEarly(scenario: Scenario, { calls, objects }: Played): Generator<string> {
  for (const pod of Object.keys(scenario.expected.status)) {
    for (const { container = '', began, ended = Number.POSITIVE_INFINITY } of postStartsOf(scenario, pod, calls)) {
      const isDuring = (at: number | undefined): boolean => at !== undefined && at > began && at < ended;
      const early = objects
        .history(pod)
        .entries.find((entry) => isDuring(objects.seenAt.get(entry)) && entry.containers?.[container]?.ready === true);
      if (early !== undefined)
        yield `${pod}: ${container} is ready during its postStart hook: ${JSON.stringify(early)}`;
    }
  }
}

/** Without the time in which the machine kept processes waiting. */
const ownTime = (from: number, to: number, { waited = () => 0 }: Played): number =>
  seconds(to - from - waited(from, to));

const sinceCreation = (at: number | undefined, played: Played): number | undefined =>
  at === undefined || played.createdAt === undefined || played.runtime === 'real'
    ? undefined
    : ownTime(played.createdAt, at, played);

const timeOf =
  (played: Played) =>
  (entry: StatusEntry): number | undefined =>
    sinceCreation(played.objects.seenAt.get(entry), played);

const callTime = ({ began, ended }: RecordedCall, played: Played): CallTime => ({
  at: sinceCreation(began, played),
  took: played.runtime === 'real' || ended === undefined ? undefined : ownTime(began, ended, played),
});

const withName = (pod: string, problem: string | undefined): string | undefined => problem && `${pod}: ${problem}`;

/** Compares the first run of each probe only: the number of runs depends on the length of the observation. */
function probeProblem(
  pod: string,
  { probe, first }: ExpectedProbe,
  { calls, probes = [], waited = () => 0 }: Played,
): string | undefined {
  if (first === undefined) return undefined;
  const [instance = ''] = probe.split(' ');
  const started = calls.find((each) => each.pod === pod && each.text === `StartContainer ${instance}`);
  const ran = probes.find((each) => each.pod === pod && each.text.startsWith(probe));
  const since = started?.ended ?? started?.began;
  if (since === undefined || ran === undefined) return `${pod}: the probe ${probe} never ran`;
  const [least, most] = first;
  const busy = seconds(waited(since, ran.began));
  return timeProblem(
    `${pod}: from the start to the first ${probe}`,
    [[least, most + busy]],
    [seconds(ran.began - since)],
  );
}

type Timing = NonNullable<Scenario['expected']['timing']>;

/** Recordings with a kill waited for one another, so a delay with a kill in it is too long: a faster agent is right. */
const hasKill = ({ killedAt = [] }: Played, [from, to]: Interval): boolean =>
  killedAt.some((at) => at >= from && at <= to);

function* timeProblems(
  timing: Timing,
  played: Played,
  libertiesOf: (pod: string) => Liberties,
): Generator<string | undefined> {
  const { calls, objects, deletedAt } = played;
  /** A real runtime is much slower than the recorded one at times, and a real agent takes a while to start. */
  const withRuntime = (pod: string, spans: readonly Span[], intervals: readonly Interval[]): readonly Span[] =>
    spans.map(([least, most], index) => [least, most + foreignSeconds(pod, intervals[index] ?? [0, 0])]);
  const foreignSeconds = (pod: string, interval: Interval): number => {
    const starts = { calls: [], agentStarts: played.agentStarts ?? [] };
    const busy = played.waited?.(...interval) ?? 0;
    return seconds(foreignTime(played.runtime === 'real' ? played : starts, pod, interval) + busy);
  };
  const compare = (what: string, pod: string, spans: readonly Span[], intervals: readonly Interval[]) =>
    timeProblem(
      what,
      withRuntime(pod, spans, intervals).map((span, index) =>
        hasKill(played, intervals[index] ?? [0, 0]) ? orEarlier(span) : span,
      ),
      intervals.map(([from, to]) => seconds(to - from)),
    );
  for (const [key, spans] of Object.entries(timing.startToStart ?? {})) {
    const [pod = '', container] = key.split('/');
    const starts = calls.filter(
      (each) => each.pod === pod && each.method === 'StartContainer' && each.container === container,
    );
    const intervals = between(starts);
    // A new static pod waits only until the old pod has stopped.
    const { isStatic } = libertiesOf(pod);
    const isNew = ([from, to]: Interval = [0, 0]): boolean =>
      calls.some((each) => each.pod === pod && each.method === 'RunPodSandbox' && each.began > from && each.began < to);
    const allowed = spans.map((span, index) => (isStatic && isNew(intervals[index]) ? orEarlier(span) : span));
    yield compare(`${key} from start to start`, pod, allowed, intervals);
  }
  for (const [key, spans] of Object.entries(timing.pullToPull ?? {})) {
    const [pod = ''] = key.split('/');
    const pulls = calls.filter((each) => each.pod === pod && each.method === 'PullImage');
    yield compare(`${key} from pull to pull`, pod, spans, between(pulls));
  }
  for (const [pod, span] of Object.entries(timing.deleteToGone ?? {})) {
    const { goneAt } = objects.history(pod);
    const from = deletedAt.at(-1);
    if (goneAt === undefined || from === undefined) yield `${pod} is not gone`;
    else
      yield compare(
        `${pod} from delete to gone`,
        pod,
        [mayGoEarlier(libertiesOf(pod)) ? orEarlier(span) : span],
        [[from, goneAt]],
      );
  }
}

const between = (calls: readonly RecordedCall[]): readonly Interval[] => {
  const instants = calls.map(({ began, ended }) => ended ?? began);
  return instants.slice(1).map((instant, index) => [instants[index] ?? instant, instant]);
};
