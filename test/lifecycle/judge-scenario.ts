import { callProblem, type CallTime } from './compare-calls.ts';
import { eventProblem } from './compare-events.ts';
import { statusProblem } from './compare-statuses.ts';
import { timeProblem } from './compare-times.ts';
import { foreignTime, type Interval } from './foreign-time.ts';
import { libertiesFor, mayGoEarlier, noLiberties, orEarlier, withoutFollowing, type Liberties } from './liberties.ts';
import { withRealStart } from './moments-of-a-real-start.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ObjectRecorder } from './record-objects.ts';
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
  /** Crashes, and the reason why the scenario could not be played to its end. */
  readonly problems: readonly string[];
  /** Set for real containers; `undefined` when every call takes its scripted time. */
  readonly runtime?: 'real';
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

function judged(
  { expected, actions }: Scenario,
  played: Played,
  libertiesOf: (pod: string) => Liberties,
): readonly string[] {
  const problems: (string | undefined)[] = [...played.problems];
  for (const [pod, statuses] of Object.entries(expected.status)) {
    const liberties = libertiesOf(pod);
    const seen = withoutFollowing(played.objects.history(pod).entries, liberties);
    const recorded = withoutFollowing(statuses, liberties);
    const observable = played.runtime === 'real' ? withRealStart(recorded) : recorded;
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
  const isKilled = actions.some((action) => 'kubelet' in action && action.kubelet === 'kill');
  const timing = isKilled ? withoutWaits(expected.timing ?? {}) : (expected.timing ?? {});
  problems.push(...timeProblems(timing, played, libertiesOf));
  return problems.filter((problem) => problem !== undefined);
}

const sinceCreation = (at: number | undefined, { createdAt, runtime }: Played): number | undefined =>
  at === undefined || createdAt === undefined || runtime === 'real' ? undefined : seconds(at - createdAt);

const timeOf =
  (played: Played) =>
  (entry: StatusEntry): number | undefined =>
    sinceCreation(played.objects.seenAt.get(entry), played);

const callTime = ({ began, ended }: RecordedCall, played: Played): CallTime => ({
  at: sinceCreation(began, played),
  took: played.runtime === 'real' || ended === undefined ? undefined : seconds(ended - began),
});

const withName = (pod: string, problem: string | undefined): string | undefined => problem && `${pod}: ${problem}`;

/** Compares the first run of each probe only: the number of runs depends on the length of the observation. */
function probeProblem(
  pod: string,
  { probe, first }: ExpectedProbe,
  { calls, probes = [] }: Played,
): string | undefined {
  if (first === undefined) return undefined;
  const [instance = ''] = probe.split(' ');
  const started = calls.find((each) => each.pod === pod && each.text === `StartContainer ${instance}`);
  const ran = probes.find((each) => each.pod === pod && each.text.startsWith(probe));
  const since = started?.ended ?? started?.began;
  if (since === undefined || ran === undefined) return `${pod}: the probe ${probe} never ran`;
  return timeProblem(`${pod}: from the start to the first ${probe}`, [first], [seconds(ran.began - since)]);
}

type Timing = NonNullable<Scenario['expected']['timing']>;

/** Recordings with a kill waited for one another, so their delays are too long: a faster agent is right. */
function withoutWaits({ startToStart = {}, pullToPull = {}, deleteToGone = {} }: Timing): Timing {
  const all = (spans: Readonly<Record<string, readonly Span[]>>) =>
    Object.fromEntries(Object.entries(spans).map(([key, each]) => [key, each.map(orEarlier)]));
  const gone = Object.entries(deleteToGone).map(([key, span]) => [key, orEarlier(span)] as const);
  return { startToStart: all(startToStart), pullToPull: all(pullToPull), deleteToGone: Object.fromEntries(gone) };
}

function* timeProblems(
  timing: Timing,
  played: Played,
  libertiesOf: (pod: string) => Liberties,
): Generator<string | undefined> {
  const { calls, objects, deletedAt } = played;
  /** A real runtime is much slower than the recorded one at times, and a real agent takes a while to start. */
  const withRuntime = (pod: string, spans: readonly Span[], intervals: readonly Interval[]): readonly Span[] =>
    played.runtime === undefined
      ? spans
      : spans.map(([least, most], index) => [least, most + seconds(foreignTime(played, pod, intervals[index]))]);
  const compare = (what: string, pod: string, spans: readonly Span[], intervals: readonly Interval[]) =>
    timeProblem(
      what,
      withRuntime(pod, spans, intervals),
      intervals.map(([from, to]) => seconds(to - from)),
    );
  for (const [key, spans] of Object.entries(timing.startToStart ?? {})) {
    const [pod = '', container] = key.split('/');
    // A new static pod waits only until the old pod has stopped.
    const allowed = libertiesOf(pod).isStatic ? spans.map(orEarlier) : spans;
    const starts = calls.filter(
      (each) => each.pod === pod && each.method === 'StartContainer' && each.container === container,
    );
    yield compare(`${key} from start to start`, pod, allowed, between(starts));
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
