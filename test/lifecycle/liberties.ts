import { type RealTime, realTimeOf, type Waited } from './real-time.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ExpectedStatus, Scenario, Span, StatusEntry } from './scenario.ts';

/**
 * The differences from the recorded kubelet in which this agent is deliberately better. The README of
 * the golden runner gives each reason. All follow from the actions of a scenario, none from its name.
 */
export interface Liberties {
  /** `false`: deliberate differences are reported like any other. */
  readonly any: boolean;
  /** The agent was killed and restarted: from the restart on, started containers stay started, and a grace period continues. */
  readonly isRestarted: boolean;
  /** The pod comes from a file that is changed or removed: the end of the old pod is reported. */
  readonly isStatic: boolean;
  /** The pod's file sets a UID and is changed: the mirror pod is updated. */
  readonly isFollowed: boolean;
  /** The pod was deleted again, with a shorter grace period, which applies to a stop that is under way. */
  readonly isHurried: boolean;
  /** Containers with a postStart hook: reported as running and not ready while the hook runs. */
  readonly hooked: ReadonlySet<string>;
  /** A postStart hook may have been under way when the pod was deleted: the deletion does not wait for the hook. */
  readonly isInHook: boolean;
  /** Containers that are never started, because their pod was deleted while it waited. */
  readonly overtaken: ReadonlySet<string>;
  /** Nothing of the pod was ever started: there is nothing to stop, so a deletion waits for nothing. */
  readonly isUnstarted: boolean;
  /** Containers that were started more than once: their back-off is reported at once. */
  readonly restarted: ReadonlySet<string>;
  /** Set when the scenario was played in real time. */
  readonly realTime: RealTime | undefined;
}

export const noLiberties: Liberties = {
  any: false,
  isRestarted: false,
  isStatic: false,
  isFollowed: false,
  isHurried: false,
  hooked: new Set(),
  isInHook: false,
  overtaken: new Set(),
  isUnstarted: false,
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
  readonly waited?: Waited;
}

/** Returns the allowed differences for one pod of a played scenario. */
export function libertiesFor(scenario: Scenario, pod: string, played: LifePlayed): Liberties {
  const { calls, deletedAt, runtime, waited: machineWaited } = played;
  const { actions, manifest = [], static: files = {} } = scenario;
  const deletes = actions.flatMap((action) => ('delete' in action && action.delete === pod ? [action] : []));
  const object = manifest.find(({ metadata }) => metadata.name === pod) as PodObject | undefined;
  const own = calls.filter((call) => call.pod === pod);
  const containers = containersOf(object);
  return {
    any: true,
    isRestarted: actions.some((action) => 'kubelet' in action),
    isStatic: Object.keys(files).length > 0 || actions.some((action) => 'static' in action),
    isFollowed: actions.some((action) => 'static' in action && action.pod?.metadata.uid !== undefined),
    isHurried: isShortened(deletes.map(({ grace }) => grace ?? graceOf(object))),
    hooked: new Set(containers.flatMap(({ name, lifecycle }) => (lifecycle?.postStart === undefined ? [] : [name]))),
    isInHook: containers.some((container) => mayBeInHook(container, own, deletedAt)),
    overtaken: deletes.length > 0 && waited(own, deletedAt) ? neverStarted(own, containers) : new Set(),
    isUnstarted: !own.some(({ method }) => method === 'StartContainer'),
    restarted: new Set(containers.flatMap(({ name }) => (startsOf(own, name) > 1 ? [name] : []))),
    realTime:
      runtime === 'real' || machineWaited !== undefined
        ? realTimeOf(scenario, pod, { calls: own, waited: machineWaited })
        : undefined,
  };
}

const DEFAULT_GRACE_SECONDS = 30;

const graceOf = (object: PodObject | undefined): number =>
  (object?.spec?.['terminationGracePeriodSeconds'] as number | undefined) ?? DEFAULT_GRACE_SECONDS;

const isShortened = (graces: readonly number[]): boolean =>
  graces.some((grace, index) => graces.slice(0, index).some((earlier) => grace < earlier));

interface ContainerObject {
  readonly name: string;
  readonly lifecycle?: { readonly postStart?: { readonly exec?: { readonly command?: readonly string[] } } };
}

function mayBeInHook(
  container: ContainerObject,
  calls: readonly RecordedCall[],
  deletedAt: readonly number[],
): boolean {
  if (container.lifecycle?.postStart === undefined) return false;
  const hooks = hooksOf(container, calls);
  return hooks === undefined || waited(hooks, deletedAt);
}

/** The runs of a container's postStart hook: only commands of hooks are recorded as calls. `undefined` for other hooks. */
function hooksOf(
  { name, lifecycle }: ContainerObject,
  calls: readonly RecordedCall[],
): readonly RecordedCall[] | undefined {
  const command = lifecycle?.postStart?.exec?.command?.join(' ');
  if (command?.startsWith('hook-') !== true) return undefined;
  return calls.filter(({ container, text }) => container === name && text.includes(`"${command}"`));
}

/** Returns the runs of all postStart hooks of a pod. */
export const postStartsOf = (
  scenario: Scenario,
  pod: string,
  calls: readonly RecordedCall[],
): readonly RecordedCall[] =>
  containersOf(scenario.manifest?.find(({ metadata }) => metadata.name === pod) as PodObject | undefined).flatMap(
    (container) =>
      hooksOf(
        container,
        calls.filter((call) => call.pod === pod),
      ) ?? [],
  );

const containersOf = (object: PodObject | undefined): readonly ContainerObject[] =>
  ['initContainers', 'containers'].flatMap((list) => (object?.spec?.[list] ?? []) as readonly ContainerObject[]);

const startsOf = (calls: readonly RecordedCall[], name: string): number =>
  calls.filter(({ method, container }) => method === 'StartContainer' && container === name).length;

/** `true` if a call for the pod was under way when the pod was deleted. */
const waited = (calls: readonly RecordedCall[], deletedAt: readonly number[]): boolean =>
  deletedAt.some((at) => calls.some(({ began, ended }) => began <= at && (ended === undefined || ended > at)));

const neverStarted = (calls: readonly RecordedCall[], containers: readonly ContainerObject[]): ReadonlySet<string> =>
  new Set(
    containers.flatMap(({ name }) =>
      calls.some(({ method, container }) => container === name && method === 'StartContainer') ? [] : [name],
    ),
  );

type Leaves = ReadonlyMap<string, string>;

/** Returns a seen status in which the allowed differences are replaced by the recorded values. */
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
    if (!isInHook(seen, name) || recorded.get(`containers.${name}.state`) !== 'waiting/ContainerCreating') continue;
    asRecorded((path) => path.startsWith(`containers.${name}.`) || path === 'ip');
    if (recorded.get('phase') === 'Pending') asRecorded((path) => path === 'phase');
  }
  if (liberties.isRestarted) {
    for (const [path, value] of seen) {
      if (path.endsWith('.started') && value === 'true') asRecorded((each) => each === path);
    }
  }
  if (liberties.overtaken.size > 0 && seen.has('deleting')) {
    const isNever = [...liberties.overtaken].every((name) => neverRan.test(seen.get(`containers.${name}.state`) ?? ''));
    if (isNever) asRecorded(ofThese(liberties.overtaken));
  }
  return leaves;
}

/** A container whose postStart hook may be under way: it runs, and is neither started nor ready. */
const isInHook = (leaves: Leaves, name: string): boolean =>
  leaves.get(`containers.${name}.state`) === 'running' &&
  leaves.get(`containers.${name}.started`) !== 'true' &&
  leaves.get(`containers.${name}.ready`) !== 'true';

/**
 * A status as it will be once the postStart hooks have returned: only the readiness of their containers, and with it that of
 * the pod, lags behind the recorded status. The recorded kubelet told nothing until then.
 */
export function afterHooks(seen: Leaves, recorded: Leaves, { hooked }: Liberties): Leaves {
  const lagging = [...hooked].filter(
    (name) => isInHook(seen, name) && recorded.get(`containers.${name}.state`) === 'running',
  );
  if (lagging.length === 0) return seen;
  const leaves = new Map(seen);
  const lag = lagging.flatMap((name) => [`containers.${name}.ready`, `containers.${name}.started`]);
  for (const path of [...lag, 'conditions.Ready', 'conditions.ContainersReady']) {
    const value = recorded.get(path);
    if (value === undefined) leaves.delete(path);
    else leaves.set(path, value);
  }
  return leaves;
}

/** What follows from containers that did not run, or run, in another way than recorded: theirs, and what the pod has from them. */
const ofThese =
  (names: ReadonlySet<string>) =>
  (path: string): boolean =>
    ofPod.test(path) ||
    [...names].some((name) => path.startsWith(`containers.${name}.`) || path.startsWith(`init.${name}.`));

const ofPod = /^(?:phase|ip|conditions\.(?:Initialized|PodReadyToStartContainers|ContainersReady|Ready))$/;
/** How a static pod ended, and that its mirror goes. */
const ofEnd =
  /^(?:deleting|phase|conditions\.(?:Initialized|PodReadyToStartContainers|ContainersReady|Ready)|containers\..*|init\..*)$/;

const neverRan = /^(?:waiting\/.*|terminated\/ContainerStatusUnknown\/137)$/;

const readinessOrAddress = /^(?:ip|conditions\.(?:Ready|ContainersReady)|containers\..*\.(?:ready|started))$/;
const sandboxOnly = /^conditions\.PodReadyToStartContainers$/;
const madeUp = /^(?:conditions|init|containers)\./;

const differsOnlyWhere = (isMeant: (path: string) => boolean, before: Leaves, after: Leaves): boolean =>
  [...new Set([...before.keys(), ...after.keys()])].every(
    (path) => before.get(path) === after.get(path) || isMeant(path),
  );

/** `true` for a recorded status that exists only because the recorded kubelet loses state, or waits. */
export function isNeedless(before: Leaves, entry: Leaves, liberties: Liberties): boolean {
  if (!liberties.any) return false;
  const differsIn = (pattern: RegExp): boolean => differsOnlyWhere((path) => pattern.test(path), before, entry);
  const differsFor = (names: ReadonlySet<string>): boolean => differsOnlyWhere(ofThese(names), before, entry);
  const isGoing = entry.has('deleting');
  if (liberties.overtaken.size > 0 && before.has('deleting') && differsFor(liberties.overtaken)) return true;
  // A hook does not delay a deletion. The end of an old static pod may be reported in place of its deletion.
  const isOver = entry.get('phase') === 'Succeeded' || entry.get('phase') === 'Failed';
  if (liberties.hooked.size > 0 && isGoing && !isOver && differsFor(liberties.hooked)) return true;
  if (liberties.isStatic && isGoing && differsIn(ofEnd)) return true;
  // The new sandbox and its containers are reported together.
  if (before.get('conditions.PodReadyToStartContainers') === 'False' && differsIn(sandboxOnly)) return true;
  if (!liberties.isRestarted) return false;
  // The pod ended between two observations: both statuses of its end are reported together.
  if (
    /^(?:Running|Pending)$/.test(entry.get('phase') ?? '') &&
    /^False\/Pod(?:Failed|Completed)$/.test(entry.get('conditions.Ready') ?? '')
  )
    return true;
  return differsIn(readinessOrAddress) || (isRejected(before) && differsIn(madeUp));
}

const isRejected = (leaves: Leaves): boolean => leaves.get('message')?.startsWith('Pod was rejected') === true;

/** Treats a mirror pod that was recreated for its running pod as the same mirror pod. */
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

/** The end of a static pod may be reported before its mirror pod is deleted: its containers, their readiness and the phase. */
export const tellsEnd = (
  { newUid, containers = {} }: StatusEntry,
  { isStatic }: Liberties,
  [here, seen]: readonly [Leaves, Leaves],
): boolean =>
  isStatic &&
  newUid !== true &&
  Object.keys(containers).length > 0 &&
  Object.values(containers).every(({ state }) => state.startsWith('terminated/')) &&
  differsOnlyWhere((path) => ofEnd.test(path), here, seen);

const stopCall = /^StopContainer (?<who>\S+) grace=(?:\d+\.\.)?(?<grace>\d+)(?<rest>.*)$/;

/** A stop after a restart: the rest of the recorded grace period. */
export function isRestOfGrace(recorded: string, seen: string, { isRestarted }: Liberties): boolean {
  const [wanted, had] = [stopCall.exec(recorded)?.groups, stopCall.exec(seen)?.groups];
  if (!isRestarted || wanted === undefined || had === undefined) return false;
  if (wanted['who'] !== had['who'] || wanted['rest'] !== had['rest']) return false;
  return Number(had['grace']) >= LEAST_GRACE_SECONDS && Number(had['grace']) <= Number(wanted['grace']);
}

const LEAST_GRACE_SECONDS = 2;

/** A second stop, with a shorter grace period, of a container that is being stopped. */
export function isHurry(call: string, before: ReadonlySet<string>, { isHurried }: Liberties): boolean {
  const had = stopCall.exec(call)?.groups;
  if (!isHurried || had === undefined) return false;
  return [...before].some((earlier) => {
    const first = stopCall.exec(earlier)?.groups;
    return first?.['who'] === had['who'] && Number(first?.['grace']) > Number(had['grace']);
  });
}

/**
 * A deletion may be done earlier than recorded where the recorded kubelet waited for what there was no need to wait for: a pull
 * or a volume, a hook, or a grace period that a second deletion shortened. In all else it takes as long as recorded.
 */
export const mayGoEarlier = ({ isInHook, isHurried, isUnstarted }: Liberties): boolean =>
  isInHook || isHurried || isUnstarted;

/** A long delay of the recorded kubelet is not required. */
export const orEarlier = ([, most]: Span): Span => [0, most];
