import type { Container, ContainerStatus, Pod, PodCondition, PodPhase } from '../../kube/pod.ts';
import { RESTARTING_ALL_CONTAINERS } from './container-state.ts';
import { isRestartOfAllTriggered } from '../sync/reset-all-containers.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';
import { sandboxChange } from '../sync/sandbox-change.ts';
import { mayRestartAllContainers } from '../sync/should-restart.ts';
import { isSidecar } from '../../kube/pod-resources.ts';

/** Condition types that only the node agent writes. */
export const OWNED_CONDITIONS: readonly string[] = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
];

/**
 * `true` for owned conditions, and for conditions that other parties write as well. This agent ignores a difference in
 * any other condition.
 */
export const isOwnCondition = (type: string): boolean => OWNED_CONDITIONS.includes(type);
export const isSharedCondition = (type: string): boolean => type === 'DisruptionTarget';

export interface ConditionsInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly phase: PodPhase;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** All conditions of the status before this one. */
  readonly previous: readonly PodCondition[];
}

type Verdict = Omit<PodCondition, 'type' | 'observedGeneration'>;

/**
 * Returns the pod's conditions without transition times, which the status cache keeps. The order: foreign conditions as
 * the API has them, then carried conditions, then this agent's own.
 */
export function podConditions(input: ConditionsInput): PodCondition[] {
  const { pod, previous } = input;
  const conditions: PodCondition[] = [];
  for (const condition of pod.status?.conditions ?? []) {
    if (!isOwnCondition(condition.type) && !isSharedCondition(condition.type)) conditions.push(condition);
  }
  const isOver = input.phase === 'Succeeded' || input.phase === 'Failed';
  for (const condition of previous) {
    const isResize = condition.type === 'PodResizePending' || condition.type === 'PodResizeInProgress';
    if (isSharedCondition(condition.type) || (isResize && !isOver)) conditions.push(condition);
  }
  const add = (type: string, verdict: Verdict): void => {
    conditions.push({ type, ...verdict, ...generationOf(pod) });
  };
  if (mayRestartAllContainers(pod.spec)) add('AllContainersRestarting', allContainersRestarting(input));
  add('PodReadyToStartContainers', { status: sandboxChange(pod, input.runtime).changed ? 'False' : 'True' });
  add('Initialized', initialized(input));
  // The readiness gates are written by other controllers, so they are read from the API's conditions copied above.
  conditions.push(...readinessConditions({ ...input, gates: conditions }));
  add('PodScheduled', { status: 'True' });
  return conditions;
}

/** Returns `Ready` and `ContainersReady`, the only conditions that change with a readiness result. */
export function readinessConditions(
  input: Pick<ConditionsInput, 'pod' | 'phase' | 'initStatuses' | 'statuses'> & {
    readonly gates: readonly PodCondition[];
  },
): readonly [PodCondition, PodCondition] {
  const containers = containersReady(input);
  const generation = generationOf(input.pod);
  return [
    { type: 'Ready', ...ready(input.pod, input.gates, containers), ...generation },
    { type: 'ContainersReady', ...containers, ...generation },
  ];
}

const generationOf = ({ metadata: { generation } }: Pod): Pick<PodCondition, 'observedGeneration'> =>
  generation === undefined ? {} : { observedGeneration: generation };

/** `true` if all containers of the pod are being restarted in place (KEP-5532). */
export const isRestartingAllContainers = (conditions: readonly PodCondition[] | undefined): boolean =>
  conditions?.some(({ type, status }) => type === 'AllContainersRestarting' && status === 'True') ?? false;

function allContainersRestarting({ pod, runtime, phase, previous }: ConditionsInput): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const isUnderWay = isRestartingAllContainers(previous) && hasRecords(pod, runtime);
  if (!isUnderWay && !isRestartOfAllTriggered(pod, runtime)) return { status: 'False' };
  return {
    status: 'True',
    reason: 'RestartAllContainersStarted',
    message: 'container exited with restart policy rule',
  };
}

const hasRecords = ({ spec }: Pod, runtime: RuntimePodStatus): boolean =>
  runtime.containers.some(
    ({ name }) =>
      spec.containers.some((container) => container.name === name) ||
      (spec.initContainers?.some((container) => container.name === name) ?? false),
  );

function initialized({ pod, phase, initStatuses, statuses }: ConditionsInput): Verdict {
  const containers = pod.spec.initContainers ?? [];
  const seen = sortOut(containers, initStatuses, (container, status) =>
    isSidecar(container) ? status.started === true : status.ready,
  );
  if (phase === 'Succeeded' && seen.unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const hasBegun = statuses.some(
    ({ state, lastState }) =>
      state?.running !== undefined ||
      state?.terminated !== undefined ||
      // A pod that is restarted in place stays initialised (observed of kubelet v1.36).
      lastState?.terminated?.reason === RESTARTING_ALL_CONTAINERS,
  );
  if (hasBegun) return { status: 'True' };
  const message = messageOf(seen, 'incomplete');
  return message === '' ? { status: 'True' } : { status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady({
  pod,
  phase,
  initStatuses,
  statuses,
}: Pick<ConditionsInput, 'pod' | 'phase' | 'initStatuses' | 'statuses'>): Verdict {
  const isReady = (_: Container, status: ContainerStatus): boolean => status.ready;
  const sidecars = sortOut((pod.spec.initContainers ?? []).filter(isSidecar), initStatuses, isReady);
  const regular = sortOut(pod.spec.containers, statuses, isReady);
  const seen: ContainersByReadiness = {
    unknown: [...sidecars.unknown, ...regular.unknown],
    lacking: [...sidecars.lacking, ...regular.lacking],
  };
  if (phase === 'Succeeded' && seen.unknown.length === 0) return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const message = messageOf(seen, 'unready');
  return message === '' ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady', message };
}

/** A pod is ready when its containers are ready and every readiness gate (KEP-580) is open. */
function ready(pod: Pod, conditions: readonly PodCondition[], containers: Verdict): Verdict {
  if (containers.status !== 'True') return containers;
  const shut: string[] = [];
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const gate = conditions.find(({ type }) => type === conditionType);
    if (gate === undefined) {
      shut.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    } else if (gate.status !== 'True') {
      shut.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
    }
  }
  if (shut.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: shut.join(', ') };
}

interface ContainersByReadiness {
  readonly unknown: readonly string[];
  readonly lacking: readonly string[];
}

function sortOut(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  isFine: (container: Container, status: ContainerStatus) => boolean,
): ContainersByReadiness {
  const unknown: string[] = [];
  const lacking: string[] = [];
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    if (status === undefined) unknown.push(container.name);
    else if (!isFine(container, status)) lacking.push(container.name);
  }
  return { unknown, lacking };
}

function messageOf({ unknown, lacking }: ContainersByReadiness, word: 'incomplete' | 'unready'): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (lacking.length > 0) parts.push(`containers with ${word} status: [${lacking.join(' ')}]`);
  return parts.join(', ');
}
