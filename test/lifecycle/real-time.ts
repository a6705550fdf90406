import { isDeepStrictEqual } from 'node:util';
import type { RecordedCall } from './record-calls.ts';
import type { ExpectedCall, ExpectedCallStep, ExpectedEvent, ExpectedStatus, Scenario } from './scenario.ts';

/** The tolerances for real containers, and for agents in real time: all takes its time, more so on a busy machine. */
export interface RealTime {
  /** By container and attempt (`main#0`), the seconds by which a hook took longer than recorded. */
  readonly longerHooks: ReadonlyMap<string, number>;
  /** No back-off is longer than the relist period of a second: a back-off may be over when the end is observed. */
  readonly isBackOffShort: boolean;
}

interface Recording {
  readonly kubelet: Scenario['kubelet'];
  readonly expected: Pick<Scenario['expected'], 'calls'>;
}

const hookCall = /^ExecSync (?<who>\S+) /;

/** Returns how long the machine kept processes waiting between two instants, in milliseconds. */
export type Waited = (from: number, to: number) => number;

interface PodCalls {
  readonly calls: readonly RecordedCall[];
  readonly waited?: Waited | undefined;
}

/** Returns the tolerances for one pod of a scenario, from the calls for the pod. */
export function realTimeOf({ kubelet, expected }: Recording, pod: string, { calls, waited }: PodCalls): RealTime {
  const recordedSeconds = new Map<string, number>();
  for (const { call, took } of (expected.calls[pod] ?? []).flatMap(callsOf))
    if (took !== undefined) recordedSeconds.set(call, took[0]);
  const longerHooks = new Map<string, number>();
  for (const { text, began, ended } of calls) {
    const who = hookCall.exec(text)?.groups?.['who'];
    const recorded = recordedSeconds.get(text);
    if (who === undefined || recorded === undefined || ended === undefined) continue;
    const stop = calls.find((call) => call.text.startsWith(`StopContainer ${who} `) && call.began >= ended);
    // The agent may learn late that the hook has returned.
    const late = stop === undefined ? 0 : (waited?.(began, stop.began) ?? 0);
    longerHooks.set(who, (ended - began + late) / 1_000 - recorded);
  }
  const { maxContainerRestartPeriod } = (kubelet['crashLoopBackOff'] ?? {}) as Record<string, string>;
  return { longerHooks, isBackOffShort: maxContainerRestartPeriod === '1s' };
}

const callsOf = (step: ExpectedCallStep): readonly ExpectedCall[] => {
  if (typeof step === 'string') return [{ call: step }];
  if (!('parallel' in step)) return [step];
  return step.parallel.flat().map((call) => (typeof call === 'string' ? { call } : call));
};

const stopCall = /^StopContainer (?<who>\S+) grace=(?:\d+\.\.)?(?<grace>\d+)(?<rest>.*)$/;

/** A hook uses up the grace period. A hook that took longer than recorded may leave less by that time, and no less. */
export function isGraceAfterHook(recorded: string, seen: string, { longerHooks }: RealTime): boolean {
  const [wanted, had] = [stopCall.exec(recorded)?.groups, stopCall.exec(seen)?.groups];
  if (wanted === undefined || had === undefined) return false;
  if (wanted['who'] !== had['who'] || wanted['rest'] !== had['rest']) return false;
  const less = Number(wanted['grace']) - Number(had['grace']);
  return less >= 0 && less <= Math.ceil(longerHooks.get(had['who'] ?? '') ?? 0);
}

/** A back-off of a second is reported only if the end is observed within that second. */
export const mayGoUntold = ({ reason, message }: ExpectedEvent, { isBackOffShort }: RealTime): boolean =>
  isBackOffShort && reason === 'BackOff' && message.startsWith('Back-off restarting failed container ');

type Leaves = ReadonlyMap<string, string>;

const SHORT_SECONDS = 1;

/**
 * `true` for a container's state that lasted less than a second in the recording, and that a later status repeats: a run by
 * the end that follows, an end as `last` of the next run. Only the newest status is reported, so the state may be skipped.
 */
export function mayBeOvertaken(expected: readonly ExpectedStatus[], index: number): boolean {
  const [before, entry] = [expected[index - 1], expected[index]];
  const later = expected.slice(index + 1).filter((each) => each.optional !== true);
  const [next] = later;
  if (before === undefined || entry?.t === undefined || next?.t === undefined) return false;
  if (next.t[0] - entry.t[1] >= SHORT_SECONDS || !differsInContainersOnly(before, entry)) return false;
  const changed = Object.entries(entry.containers ?? {}).filter(
    ([name, { state, restarts }]) =>
      before.containers?.[name]?.state !== state || before.containers[name].restarts !== restarts,
  );
  if (changed.length === 0) return false;
  return changed.every(([name, { state, restarts = 0 }]) =>
    later.some(({ containers }) => {
      const told = containers?.[name];
      if (told === undefined) return false;
      if (state === 'running') return told.state.startsWith('terminated/') && (told.restarts ?? 0) === restarts;
      return told.last === state && (told.restarts ?? 0) === restarts + 1;
    }),
  );
}

const readiness: ReadonlySet<string> = new Set(['Ready', 'ContainersReady']);

function differsInContainersOnly(before: ExpectedStatus, entry: ExpectedStatus): boolean {
  const rest = ({ phase, reason, message, ip, conditions = {}, init }: ExpectedStatus): object => ({
    phase,
    reason,
    message,
    ip,
    init,
    conditions: Object.fromEntries(Object.entries(conditions).filter(([type]) => !readiness.has(type))),
  });
  const isGoing = ({ deleting, gone, newUid }: ExpectedStatus): boolean =>
    deleting !== undefined || gone === true || newUid === true;
  return !isGoing(entry) && isDeepStrictEqual(rest(before), rest(entry));
}

const unready = /^False\/ContainersNotReady\/containers with unready status: \[(?<names>[^\]]*)\]$/;

/**
 * Returns an intermediate status without the ends that only that status shows: the later status has them as `last` of the
 * next run. The recorded kubelet had started the next run before its report; a real start takes longer.
 */
export function withoutLoneEnds(seen: Leaves, here: Leaves, later: Leaves): Leaves {
  const restartsIn = (leaves: Leaves, path: string): number => Number(leaves.get(`${path}.restarts`) ?? 0);
  const ended = [...later.keys()]
    .filter((key) => /^(?:init|containers)\.[^.]*\.last$/.test(key))
    .map((key) => key.slice(0, -'.last'.length))
    .filter(
      (path) =>
        here.get(`${path}.state`) === 'running' &&
        seen.get(`${path}.state`) === later.get(`${path}.last`) &&
        seen.get(`${path}.message`) === later.get(`${path}.lastMessage`) &&
        seen.get(`${path}.started`) === 'false' &&
        !seen.has(`${path}.ready`) &&
        restartsIn(seen, path) === restartsIn(here, path) &&
        restartsIn(later, path) === restartsIn(here, path) + 1,
    );
  if (ended.length === 0) return seen;
  const leaves = new Map(seen);
  const asHere = (path: string): void => {
    const value = here.get(path);
    if (value === undefined) leaves.delete(path);
    else leaves.set(path, value);
  };
  for (const key of new Set([...here.keys(), ...seen.keys()]))
    if (ended.some((path) => key.startsWith(`${path}.`))) asHere(key);
  const names = ended.map((path) => path.slice(path.indexOf('.') + 1));
  for (const type of readiness) {
    const unreadyNames = unready.exec(seen.get(`conditions.${type}`) ?? '')?.groups?.['names']?.split(' ') ?? [];
    if (names.every((name) => unreadyNames.includes(name)) && unreadyNames.every((name) => names.includes(name)))
      asHere(`conditions.${type}`);
  }
  return leaves;
}
