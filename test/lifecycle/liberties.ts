import { type RealTime, realTimeOf } from './real-time.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ExpectedStatus, Scenario, Span, StatusEntry } from './scenario.ts';

/**
 * In what this agent may differ from the recorded kubelet, because it is better, knowingly (the README beside this file says
 * each with its reason). All follow from what a scenario does, none from its name.
 */
export interface Liberties {
  /** False: what is better is told as any difference is. */
  readonly any: boolean;
  /** The agent was killed and started again: what was started stays so, and a grace period goes on. */
  readonly isRestarted: boolean;
  /** The pod comes from a file that is changed or removed: how the old one ended is told. */
  readonly isStatic: boolean;
  /** The pod's file gives it a UID, and is changed: its mirror follows. */
  readonly isFollowed: boolean;
  /** A pod was asked to go a second time: a shorter grace period reaches a stop that is under way. */
  readonly isHurried: boolean;
  /** Containers with a postStart hook: that they run is told while it runs. */
  readonly hooked: ReadonlySet<string>;
  /** Containers that are never started, for their pod was deleted while it waited for something. */
  readonly overtaken: ReadonlySet<string>;
  /** Containers that were started more than once: that the next start is put off is told at once. */
  readonly restarted: ReadonlySet<string>;
  /** It was played with real containers. */
  readonly realTime: RealTime | undefined;
}

export const noLiberties: Liberties = {
  any: false,
  isRestarted: false,
  isStatic: false,
  isFollowed: false,
  isHurried: false,
  hooked: new Set(),
  overtaken: new Set(),
  restarted: new Set(),
  realTime: undefined,
};

interface PodObject {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly [list: string]: unknown };
}

interface LifePlayed {
  readonly calls: readonly RecordedCall[];
  readonly deletedAt: readonly number[];
  readonly runtime?: 'real';
}

/** What a scenario, as it was played, allows for one of its pods. */
export function libertiesFor(scenario: Scenario, pod: string, { calls, deletedAt, runtime }: LifePlayed): Liberties {
  const { actions, manifest = [], static: files = {} } = scenario;
  const deletes = actions.filter((action) => 'delete' in action && action.delete === pod).length;
  const object = manifest.find(({ metadata }) => metadata.name === pod) as PodObject | undefined;
  const own = calls.filter((call) => call.pod === pod);
  const containers = containersOf(object);
  return {
    any: true,
    isRestarted: actions.some((action) => 'kubelet' in action),
    isStatic: Object.keys(files).length > 0 || actions.some((action) => 'static' in action),
    isFollowed: actions.some((action) => 'static' in action && action.pod?.metadata.uid !== undefined),
    isHurried: deletes > 1,
    hooked: new Set(containers.flatMap(({ name, lifecycle }) => (lifecycle?.postStart === undefined ? [] : [name]))),
    overtaken: deletes > 0 && waited(own, deletedAt) ? neverStarted(own, containers) : new Set(),
    restarted: new Set(containers.flatMap(({ name }) => (startsOf(own, name) > 1 ? [name] : []))),
    realTime: runtime === 'real' ? realTimeOf(scenario, pod, own) : undefined,
  };
}

interface ContainerObject {
  readonly name: string;
  readonly lifecycle?: { readonly postStart?: object };
}

const containersOf = (object: PodObject | undefined): readonly ContainerObject[] =>
  ['initContainers', 'containers'].flatMap((list) => (object?.spec?.[list] ?? []) as readonly ContainerObject[]);

const startsOf = (calls: readonly RecordedCall[], name: string): number =>
  calls.filter(({ method, container }) => method === 'StartContainer' && container === name).length;

/** Whether some call for the pod was under way when it was deleted. */
const waited = (calls: readonly RecordedCall[], deletedAt: readonly number[]): boolean =>
  deletedAt.some((at) => calls.some(({ began, ended }) => began <= at && (ended === undefined || ended > at)));

const neverStarted = (calls: readonly RecordedCall[], containers: readonly ContainerObject[]): ReadonlySet<string> =>
  new Set(
    containers.flatMap(({ name }) =>
      calls.some(({ method, container }) => container === name && method === 'StartContainer') ? [] : [name],
    ),
  );

type Leaves = ReadonlyMap<string, string>;

/** A status as seen, with what is better in it put as the recorded kubelet has it. */
export function withoutBetter(seen: Leaves, recorded: Leaves, liberties: Liberties): Leaves {
  if (!liberties.any) return seen;
  const leaves = new Map(seen);
  const asRecorded = (isMeant: (path: string) => boolean): void => {
    for (const path of new Set([...seen.keys(), ...recorded.keys()])) {
      if (!isMeant(path)) continue;
      const value = recorded.get(path);
      if (value === undefined) leaves.delete(path);
      else leaves.set(path, value);
    }
  };
  const isReadiness = (path: string): boolean =>
    path === 'conditions.Ready' || path === 'conditions.ContainersReady' || path.endsWith('.ready');
  const phase = seen.get('phase') ?? '';
  // A pod whose sandbox is dead is not ready.
  const isSandboxDead = seen.get('conditions.PodReadyToStartContainers')?.startsWith('False') === true;
  if (isSandboxDead && phase === 'Running' && seen.get('conditions.Ready')?.startsWith('False') === true)
    asRecorded((path) => isReadiness(path) && recorded.get('conditions.Ready') === 'True');
  // A finished pod keeps its address.
  if (phase === 'Succeeded' || phase === 'Failed') asRecorded((path) => path === 'ip' && !recorded.has('ip'));
  // A rejected pod never had containers.
  const isBare = ![...seen.keys()].some((path) => path.startsWith('containers.') || path.startsWith('conditions.'));
  if (isBare && isRejected(seen))
    asRecorded((path) => path.startsWith('containers.') || path.startsWith('conditions.') || path.startsWith('init.'));
  for (const name of liberties.hooked) {
    const [state, was] = [seen.get(`containers.${name}.state`), recorded.get(`containers.${name}.state`)];
    if (state !== 'running' || was !== 'waiting/ContainerCreating') continue;
    asRecorded((path) => path.startsWith(`containers.${name}.`) || path === 'ip' || isReadiness(path));
    if (recorded.get('phase') === 'Pending') asRecorded((path) => path === 'phase');
  }
  if (liberties.isRestarted) {
    for (const [path, value] of seen) {
      if (path.endsWith('.started') && value === 'true') asRecorded((each) => each === path);
    }
  }
  if (liberties.overtaken.size > 0 && seen.has('deleting')) {
    const isNever = [...liberties.overtaken].every((name) => neverRan.test(seen.get(`containers.${name}.state`) ?? ''));
    if (isNever) asRecorded((path) => path !== 'deleting' && path !== 'gone');
  }
  return leaves;
}

const neverRan = /^(?:waiting\/.*|terminated\/ContainerStatusUnknown\/137)$/;

const readinessOrAddress = /^(?:ip|conditions\.(?:Ready|ContainersReady)|containers\..*\.(?:ready|started))$/;
const sandboxOnly = /^conditions\.PodReadyToStartContainers$/;
const madeUp = /^(?:conditions|init|containers)\./;

/** Moments that there are only because the recorded kubelet forgets, or waits. */
export function isNeedless(before: Leaves, entry: Leaves, liberties: Liberties): boolean {
  if (!liberties.any) return false;
  const differsIn = (pattern: RegExp): boolean =>
    [...new Set([...before.keys(), ...entry.keys()])].every(
      (path) => before.get(path) === entry.get(path) || pattern.test(path),
    );
  const isGoing = entry.has('deleting');
  if (liberties.overtaken.size > 0 && before.has('deleting')) return true;
  // A hook does not hold a deletion up; the end of an old static pod may be told in the place of its going.
  if (liberties.hooked.size > 0 && isGoing && entry.get('phase') !== 'Succeeded' && entry.get('phase') !== 'Failed')
    return true;
  if (liberties.isStatic && isGoing) return true;
  // The new sandbox and what is started in it are told together.
  if (before.get('conditions.PodReadyToStartContainers') === 'False' && differsIn(sandboxOnly)) return true;
  if (!liberties.isRestarted) return false;
  // It ended while nobody looked: that it is about to be over, and that it is, are told together.
  if (
    /^(?:Running|Pending)$/.test(entry.get('phase') ?? '') &&
    /^False\/Pod(?:Failed|Completed)$/.test(entry.get('conditions.Ready') ?? '')
  )
    return true;
  return differsIn(readinessOrAddress) || (isRejected(before) && differsIn(madeUp));
}

const isRejected = (leaves: Leaves): boolean => leaves.get('message')?.startsWith('Pod was rejected') === true;

/** A mirror that was made anew for its pod, which goes on: as if it were the one before. */
export function withoutFollowing(
  entries: readonly ExpectedStatus[],
  { isFollowed }: Liberties,
): readonly ExpectedStatus[] {
  if (!isFollowed) return entries;
  const isBare = ({ phase, conditions }: StatusEntry): boolean => phase === 'Pending' && conditions === undefined;
  return entries.flatMap((entry, index) => {
    const { newUid, deleting, gone, ...rest } = entry;
    const isAnew = entries.slice(index).some((later) => later.newUid === true);
    if ((isAnew && (deleting === 0 || gone === true)) || (newUid === true && isBare(rest))) return [];
    return [newUid === true ? rest : entry];
  });
}

/** How a static pod ended may be told before its mirror goes. */
export const tellsEnd = ({ newUid, containers = {} }: StatusEntry, { isStatic }: Liberties): boolean =>
  isStatic &&
  newUid !== true &&
  Object.keys(containers).length > 0 &&
  Object.values(containers).every(({ state }) => state.startsWith('terminated/'));

const stopCall = /^StopContainer (?<who>\S+) grace=(?:\d+\.\.)?(?<grace>\d+)(?<rest>.*)$/;

/** A stop whose grace period goes on over a restart: what is left of the recorded one. */
export function isRestOfGrace(recorded: string, seen: string, { isRestarted }: Liberties): boolean {
  const [wanted, had] = [stopCall.exec(recorded)?.groups, stopCall.exec(seen)?.groups];
  if (!isRestarted || wanted === undefined || had === undefined) return false;
  if (wanted['who'] !== had['who'] || wanted['rest'] !== had['rest']) return false;
  return Number(had['grace']) >= LEAST_GRACE_SECONDS && Number(had['grace']) <= Number(wanted['grace']);
}

const LEAST_GRACE_SECONDS = 2;

/** A second stop, with less, of a container that is being stopped. */
export function isHurry(call: string, before: ReadonlySet<string>, { isHurried }: Liberties): boolean {
  const had = stopCall.exec(call)?.groups;
  if (!isHurried || had === undefined) return false;
  return [...before].some((earlier) => {
    const first = stopCall.exec(earlier)?.groups;
    return first?.['who'] === had['who'] && Number(first?.['grace']) > Number(had['grace']);
  });
}

/** Nobody waits for long because the recorded kubelet did. */
export const orEarlier = ([, most]: Span): Span => [0, most];
