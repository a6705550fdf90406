import {
  amountCgroupValues,
  classMemoryLimits,
  protectedMemory,
  qosCgroupValues,
  requestedMemoryBytes,
  requestedMilliCpu,
  type CgroupValues,
} from '../../src/cgroups/cgroup-values.ts';
import type { ReservedCgroup } from '../../src/cgroups/reserved-cgroups.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { ResourceList } from '../../src/kube/pod.ts';
import { nodeCgroupPath, podCgroups, qosCgroupPath } from '../../src/node/resources/cgroup-path.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { qosClass } from '../../src/pod/values/qos.ts';
import type { ContainerManagerProtocol } from './protocol.ts';

export interface ContainerManagerSettings {
  readonly node: NodeFacts;
  /** Limits for all pods together. */
  readonly podsAmounts: ResourceList;
  /** `enforceNodeAllocatable` names `pods`: an event about the node reports that the limits are in force. */
  readonly enforcesPods: boolean;
  /**
   * Percentage of a class's requested memory that lower classes may not take; absent when the feature gate
   * `QOSReserved` is off.
   */
  readonly memoryReservedPercent?: number;
  /** Cgroups of the node's daemons with reserved resources. The agent has set their limits before this actor starts. */
  readonly reserved?: readonly Pick<ReservedCgroup, 'whose' | 'path'>[];
}

/** The two maps are changed in place: a copy for each new pod would make a full node slow. */
export interface ContainerManagerState {
  /** Thousandths of a CPU by pod. Only burstable pods count. */
  readonly burstable: Map<PodUid, bigint>;
  readonly totalMilliCpu: bigint;
  /** Changes reported since the current survey began: the survey's answer may be older. */
  readonly toldSince: Map<PodUid, bigint>;
  readonly surveys: number;
  /** The weight that the burstable class was last set to; `undefined` when it was never set, or the kernel refused. */
  readonly weighed: bigint | undefined;
  readonly weighAsked: boolean;
  /** Memory requests of the two classes at the last survey. Counted only where the kernel must reserve that memory. */
  readonly memory: { readonly guaranteedBytes: bigint; readonly burstableBytes: bigint };
  readonly allocatable: 'to-set' | 'set' | 'refused';
  /** Pod cgroups of no known pod at the last survey; the next survey removes them. */
  readonly strays: ReadonlySet<string>;
}

export type ContainerManagerEffect =
  | { readonly type: 'set-cgroup'; readonly path: string; readonly values: CgroupValues; readonly what: SetCgroup }
  /** Removes the cgroup only if it is empty. */
  | { readonly type: 'remove-stray'; readonly path: string }
  | { readonly type: 'wake'; readonly command: 'survey-due' | 'cpu-weights-due'; readonly afterMs: number }
  | { readonly type: 'survey' };

/** Identifies the cgroup that is set; the report of a refusal depends on it. */
export type SetCgroup = 'all-pods' | 'memory of all pods' | 'burstable' | 'besteffort';

export interface Decision {
  readonly next: ContainerManagerState;
  readonly effects: readonly ContainerManagerEffect[];
}

/** The class weights are recomputed at least this often, as the kubelet does (`qosUpdateInterval`). */
export const SURVEY_EVERY_MS = 60_000;
/** At the first survey the pod sources may not have been read yet. */
const SECOND_SURVEY_AFTER_MS = 5_000;
/** Removing more in one turn would block the thread. */
const STRAYS_AT_ONCE = 100;
/** Groups a wave of pod starts into one update of the weights. */
const WEIGH_AFTER_MS = 200;

export const initialContainerManager = (): ContainerManagerState => ({
  burstable: new Map(),
  totalMilliCpu: 0n,
  toldSince: new Map(),
  surveys: 0,
  weighed: undefined,
  weighAsked: false,
  memory: { guaranteedBytes: 0n, burstableBytes: 0n },
  allocatable: 'to-set',
  strays: new Set(),
});

/** Creates the node's tree before any pod's part of it. */
export function begin(state: ContainerManagerState, settings: ContainerManagerSettings): Decision {
  return { next: state, effects: [...nodeLimits(state, settings), ...classes(state, settings), { type: 'survey' }] };
}

export function decide(
  state: ContainerManagerState,
  command: ContainerManagerProtocol['command'],
  settings: ContainerManagerSettings,
): Decision {
  switch (command.type) {
    case 'pod-cgroup-changed': {
      const { podUid: uid, burstableMilliCpu } = command;
      const before = state.burstable.get(uid) ?? 0n;
      state.toldSince.set(uid, burstableMilliCpu);
      if (before === burstableMilliCpu) return { next: state, effects: [] };
      note(state.burstable, uid, burstableMilliCpu);
      return weighLater({ ...state, totalMilliCpu: state.totalMilliCpu + burstableMilliCpu - before });
    }
    case 'cpu-weights-due': {
      const next = { ...state, weighAsked: false };
      return { next, effects: next.weighed === next.totalMilliCpu ? [] : classes(next, settings) };
    }
    case 'survey-due':
      return {
        next: { ...state, toldSince: new Map() },
        effects: [...nodeLimits(state, settings), { type: 'survey' }],
      };
    case 'pods-surveyed':
      return surveyed(state, command, settings);
    default:
      return assertNever(command, 'container manager command');
  }
}

/** Records the result of setting a cgroup. */
export function cgroupSet(
  state: ContainerManagerState,
  what: SetCgroup,
  problem: string | undefined,
): ContainerManagerState {
  switch (what) {
    case 'all-pods':
      return { ...state, allocatable: problem === undefined ? 'set' : 'refused' };
    case 'burstable':
      return { ...state, weighed: problem === undefined ? state.totalMilliCpu : undefined };
    case 'besteffort':
    case 'memory of all pods':
      return state;
    default:
      return assertNever(what, 'cgroup');
  }
}

function nodeLimits(
  { allocatable }: ContainerManagerState,
  { node, podsAmounts }: ContainerManagerSettings,
): readonly ContainerManagerEffect[] {
  if (allocatable === 'set') return [];
  return [
    { type: 'set-cgroup', path: nodeCgroupPath(node), values: amountCgroupValues(podsAmounts), what: 'all-pods' },
  ];
}

function classes(
  { totalMilliCpu, memory, surveys }: ContainerManagerState,
  { node, podsAmounts, memoryReservedPercent }: ContainerManagerSettings,
): readonly ContainerManagerEffect[] {
  const limits =
    memoryReservedPercent === undefined || surveys === 0
      ? NOT_LIMITED
      : classMemoryLimits(memory, { allocatable: podsAmounts['memory'], percent: memoryReservedPercent });
  // Before the first survey the requests are unknown, and the values that an earlier incarnation set stay.
  const { ofAll, ofBurstable } = surveys === 0 ? NOTHING_PROTECTED : protectedMemory(memory, node);
  const all: readonly ContainerManagerEffect[] =
    ofAll.memoryMinBytes === undefined
      ? []
      : [{ type: 'set-cgroup', path: nodeCgroupPath(node), values: ofAll, what: 'memory of all pods' }];
  return [
    ...all,
    {
      type: 'set-cgroup',
      path: qosCgroupPath('Burstable', node),
      values: { ...qosCgroupValues('Burstable', totalMilliCpu, node), ...ofBurstable, ...limits.burstable },
      what: 'burstable',
    },
    {
      type: 'set-cgroup',
      path: qosCgroupPath('BestEffort', node),
      values: { ...qosCgroupValues('BestEffort', 0n, node), ...limits.bestEffort },
      what: 'besteffort',
    },
  ];
}

const NOT_LIMITED: ReturnType<typeof classMemoryLimits> = { burstable: {}, bestEffort: {} };
const NOTHING_PROTECTED: ReturnType<typeof protectedMemory> = { ofAll: {}, ofBurstable: {} };

/** Pods without weight are not stored. */
function note(pods: Map<PodUid, bigint>, uid: PodUid, milliCpu: bigint): void {
  if (milliCpu === 0n) pods.delete(uid);
  else pods.set(uid, milliCpu);
}

function weighLater(state: ContainerManagerState): Decision {
  if (state.weighAsked) return { next: state, effects: [] };
  return {
    next: { ...state, weighAsked: true },
    effects: [{ type: 'wake', command: 'cpu-weights-due', afterMs: WEIGH_AFTER_MS }],
  };
}

function surveyed(
  state: ContainerManagerState,
  { pods, cgroups }: Extract<ContainerManagerProtocol['command'], { type: 'pods-surveyed' }>,
  settings: ContainerManagerSettings,
): Decision {
  const afterMs = state.surveys === 0 ? SECOND_SURVEY_AFTER_MS : SURVEY_EVERY_MS;
  const again: ContainerManagerEffect = { type: 'wake', command: 'survey-due', afterMs };
  if (pods === undefined) return { next: state, effects: [again] };
  const found = new Map<PodUid, bigint>();
  const known = new Set<string>();
  let [guaranteedBytes, burstableBytes] = [0n, 0n];
  for (const pod of pods) {
    const { uid } = pod.metadata;
    for (const path of podCgroups(uid, undefined, settings.node)) known.add(path);
    if (isTerminalPhase(pod.status?.phase)) continue;
    const qos = qosClass(pod);
    if (settings.node.memoryQos?.reserves === true || settings.memoryReservedPercent !== undefined) {
      if (qos === 'Guaranteed') guaranteedBytes += requestedMemoryBytes(pod);
      if (qos === 'Burstable') burstableBytes += requestedMemoryBytes(pod);
    }
    if (qos !== 'Burstable') continue;
    found.set(podUid(uid), requestedMilliCpu(pod));
  }
  for (const [uid, milliCpu] of state.toldSince) note(found, uid, milliCpu);
  const totalMilliCpu = [...found.values()].reduce((total, each) => total + each, 0n);
  const unknown = cgroups.filter((path) => !known.has(path));
  const memory = { guaranteedBytes, burstableBytes };
  const next = {
    ...state,
    burstable: found,
    totalMilliCpu,
    memory,
    surveys: state.surveys + 1,
    strays: new Set(unknown),
  };
  // A pod that is just starting may have its cgroup before the pod manager reports the pod.
  const strays = unknown.filter((path) => state.strays.has(path)).slice(0, STRAYS_AT_ONCE);
  return {
    next,
    effects: [...classes(next, settings), ...strays.map((path) => ({ type: 'remove-stray', path }) as const), again],
  };
}
