import type { WallMs } from '../../../actor/clock.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../../kube/pod.ts';
import { asPod } from '../kinds/pod-kind.ts';
import { isSidecar } from '../../../kube/pod-resources.ts';
import { ageSince } from '../../../kube/text/human-duration.ts';
import type { Column } from './column.ts';

const isTrue = (pod: Pod, type: string): boolean =>
  pod.status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;

/** Returns the STATUS column: the most telling of phase, container reasons and deletion. */
export function statusOf(pod: Pod): string {
  const { status = {}, metadata } = pod;
  let reason: string = status.reason || status.phase || 'Unknown';
  if (status.conditions?.some(({ type, reason: why }) => type === 'PodScheduled' && why === 'SchedulingGated'))
    reason = 'SchedulingGated';
  const initializing = initReason(pod);
  if (initializing !== undefined) reason = initializing;
  if (initializing === undefined || isTrue(pod, 'Initialized')) reason = containersReason(pod, reason);
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? reason : 'Terminating';
}

/** Returns how far a pod's init containers have come. `undefined` once they are through. */
function initReason({ spec, status }: Pod): string | undefined {
  const all = spec.initContainers ?? [];
  for (const [index, { name, state = {}, started }] of (status?.initContainerStatuses ?? []).entries()) {
    const { terminated, waiting } = state;
    if (terminated?.exitCode === 0) continue;
    const container = all.find((each) => each.name === name);
    if (container && isSidecar(container) && started === true) continue;
    if (terminated) return `Init:${terminated.reason || ended(terminated)}`;
    if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
    return `Init:${index}/${all.length}`;
  }
  return undefined;
}

const ended = ({ signal, exitCode }: NonNullable<ContainerState['terminated']>): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;

function containersReason(pod: Pod, before: string): string {
  let reason = before;
  let isRunning = false;
  for (const { state = {}, ready } of (pod.status?.containerStatuses ?? []).toReversed()) {
    const { waiting, terminated, running } = state;
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = terminated.reason || ended(terminated);
    else if (running && ready) isRunning = true;
  }
  if (reason === 'Completed' && isRunning) return isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
  return reason;
}

interface Counts {
  readonly total: number;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestart: WallMs;
}

/** Sidecars count as containers; init containers count only until they are through. */
function counts(pod: Pod): Counts {
  const { spec, status = {} } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const isInitializing = initReason(pod) !== undefined && !isTrue(pod, 'Initialized');
  const inits = status.initContainerStatuses ?? [];
  const lasting = [...inits.filter(({ name }) => sidecars.has(name)), ...(status.containerStatuses ?? [])];
  const counted = isInitializing ? inits : lasting;
  const runningReady = (each: ContainerStatus): boolean => each.ready && each.state?.running !== undefined;
  return {
    total: spec.containers.length + sidecars.size,
    ready: lasting.filter(runningReady).length,
    restarts: counted.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastRestart: Math.max(
      0,
      ...counted.map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? '') || 0),
    ),
  };
}

function restartsOf(pod: Pod, now: WallMs): string {
  const { restarts, lastRestart } = counts(pod);
  if (restarts === 0 || lastRestart === 0) return String(restarts);
  return `${restarts} (${ageSince(new Date(lastRestart).toISOString(), now)} ago)`;
}

function gatesOf({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const met = gates.filter(({ conditionType }) =>
    status?.conditions?.some((each) => each.type === conditionType && each.status === 'True'),
  );
  return `${met.length}/${gates.length}`;
}

/** The columns of `kubectl get pods`. */
export const podColumns: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'The name of the pod.',
    cell: ({ metadata }) => metadata.name,
  },
  {
    name: 'Ready',
    type: 'string',
    description: 'How many containers are ready, of how many.',
    cell: (object) => {
      const { ready, total } = counts(asPod(object));
      return `${ready}/${total}`;
    },
  },
  { name: 'Status', type: 'string', description: 'What the pod is doing.', cell: (object) => statusOf(asPod(object)) },
  {
    name: 'Restarts',
    type: 'string',
    description: 'How often its containers were restarted, and when last.',
    cell: (object, now) => restartsOf(asPod(object), now),
  },
  {
    name: 'Age',
    type: 'string',
    description: 'Since when it is there.',
    cell: ({ metadata }, now) => ageSince(metadata.creationTimestamp, now),
  },
  {
    name: 'IP',
    type: 'string',
    wide: true,
    description: 'Its address.',
    cell: (object) => asPod(object).status?.podIP || '<none>',
  },
  {
    name: 'Node',
    type: 'string',
    wide: true,
    description: 'Where it runs.',
    cell: (object) => asPod(object).spec.nodeName || '<none>',
  },
  {
    name: 'Nominated Node',
    type: 'string',
    wide: true,
    description: 'Where room is being made for it.',
    cell: (object) =>
      // The shape has this member; the type of a pod, which a node reads, does not.
      (asPod(object).status as { readonly nominatedNodeName?: string } | undefined)?.nominatedNodeName || '<none>',
  },
  {
    name: 'Readiness Gates',
    type: 'string',
    wide: true,
    description: 'How many of its readiness gates are met.',
    cell: (object) => gatesOf(asPod(object)),
  },
];
