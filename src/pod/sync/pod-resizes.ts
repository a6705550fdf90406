import type { ContainerId } from '../../kube/ids.ts';
import { own } from '../../kube/text/own.ts';
import type { Container, Pod, ResourceRequirements } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { quantityNano } from '../../kube/quantity.ts';
import type { ResizeVerdict } from './pod-observation.ts';

/**
 * By container name: what its containers have, or are to have; under the empty name what the pod as a whole does (KEP-5419).
 * Plain data that is kept on disk.
 */
export type PodResources = Readonly<Record<string, ResourceRequirements>>;

/** No container has this name. */
export const POD_ITSELF = '';

/**
 * By container: what the runtime was last told of it. Those made before the pod was first resized are not in it. Under the
 * empty ID what the pod as a whole was last given.
 */
export type ActuatedResources = ReadonlyMap<ContainerId, ResourceRequirements>;

/** Why a pod does not have yet what it asks for: the reason and message of its condition. */
export interface PendingResize {
  /** `Deferred`: it is tried again; `Infeasible`: it is not. */
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
}

/** What has been given to a pod that has asked for other resources than it came with (KEP-1287). */
export interface AllocatedResources {
  /** With what it came: containers that were made before it asked for anything else have that. */
  readonly original: PodResources;
  readonly allocated: PodResources;
}

/** The resources that may change while a container runs. */
const RESIZABLE = ['cpu', 'memory'] as const;
const KINDS = ['requests', 'limits'] as const;
export type Resizable = (typeof RESIZABLE)[number];

/** Containers that may be given other resources: those that run as long as the pod does. */
export const resizableContainers = ({ spec }: Pod): readonly Container[] => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter(isSidecar),
];

export const resourcesOf = (pod: Pod): PodResources => ({
  ...Object.fromEntries(resizableContainers(pod).map(({ name, resources }) => [name, resources ?? {}])),
  ...(pod.spec.resources && { [POD_ITSELF]: pod.spec.resources }),
});

/** What a container may use: where it has no limit of its own, the pod's as a whole. */
export function withPodLimits(
  own: ResourceRequirements | undefined,
  ofPod: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  const limits = RESIZABLE.flatMap((name) => {
    const limit = ofPod?.limits?.[name];
    return limit === undefined || own?.limits?.[name] !== undefined ? [] : [[name, limit] as const];
  });
  return limits.length === 0 ? own : { ...own, limits: { ...own?.limits, ...Object.fromEntries(limits) } };
}

/** The same pod with these resources. What they do not name has its own. */
export function withResources(pod: Pod, resources: PodResources): Pod {
  const given = (container: Container): Container => {
    const allocated = own(resources, container.name);
    return allocated === undefined ? container : { ...container, resources: allocated };
  };
  const { containers, initContainers } = pod.spec;
  const sidecars =
    initContainers === undefined
      ? {}
      : { initContainers: initContainers.map((each) => (isSidecar(each) ? given(each) : each)) };
  const whole = resources[POD_ITSELF];
  const ofPod = whole === undefined || pod.spec.resources === undefined ? {} : { resources: whole };
  return { ...pod, spec: { ...pod.spec, containers: containers.map(given), ...sidecars, ...ofPod } };
}

/** Which of the two resources differ, by amount: `1` and `1000m` do not. */
export function changedResources(
  one: ResourceRequirements | undefined,
  other: ResourceRequirements | undefined,
): readonly Resizable[] {
  if (one === other) return [];
  return RESIZABLE.filter((name) => KINDS.some((kind) => amount(one, kind, name) !== amount(other, kind, name)));
}

const amount = (
  resources: ResourceRequirements | undefined,
  kind: (typeof KINDS)[number],
  name: Resizable,
): bigint | undefined => {
  const quantity = resources?.[kind]?.[name];
  return quantity === undefined ? undefined : quantityNano(quantity);
};

/** As the kubelet labels resizes that this node can never do. */
export type InfeasibleDetail =
  'static_pod' | 'qos_class' | 'feature_gate_off' | 'swap_limitation' | 'insufficient_node_allocatable';

/** One amount of a container that is asked to be another. */
export interface AskedResize {
  readonly resource: Resizable;
  readonly requirement: (typeof KINDS)[number];
  readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
}

/** What the containers of a pod are to have otherwise than they have it, amount by amount. */
export const askedResizes = (pod: Pod, before: PodResources): readonly AskedResize[] =>
  resizableContainers(pod).flatMap(({ name, resources }) =>
    RESIZABLE.flatMap((resource) =>
      KINDS.flatMap((requirement) => {
        const had = amount(own(before, name), requirement, resource);
        const wants = amount(resources, requirement, resource);
        if (had === wants) return [];
        const grows = (wants ?? 0n) > (had ?? 0n) ? 'increase' : 'decrease';
        const operation = had === undefined ? 'add' : wants === undefined ? 'remove' : grows;
        return [{ resource, requirement, operation } as const];
      }),
    ),
  );

/** Whether the pod asks for something else than these. */
export const asksForOther = (pod: Pod, resources: PodResources): boolean =>
  asksForOtherAsAWhole(pod, resources[POD_ITSELF]) ||
  resizableContainers(pod).some(
    ({ name, resources: asked }) => changedResources(asked, own(resources, name)).length > 0,
  );

/** Whether it does so as a whole. Which resources it has as a whole is fixed when it is made. */
export const asksForOtherAsAWhole = ({ spec }: Pod, resources: ResourceRequirements | undefined): boolean =>
  spec.resources !== undefined && resources !== undefined && changedResources(spec.resources, resources).length > 0;

/** What a running container that has these resources needs, to have those of its definition (`resizePolicy`). */
export function resizeVerdict(
  { resources, resizePolicy = [] }: Container,
  actuated: ResourceRequirements | undefined,
): ResizeVerdict {
  const changed = changedResources(resources, actuated);
  if (changed.length === 0) return 'none';
  const restarts = resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' && changed.some((name) => name === resourceName),
  );
  return restarts ? 'restart' : 'in-place';
}

/** What the API says that the pod was given: of one that was resized while no agent of this node was there to see it. */
export function resourcesInStatus(pod: Pod): PodResources {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses];
  const found = resizableContainers(pod).map(({ name, resources = {} }) => {
    const status = statuses.find((each) => each.name === name);
    if (status?.resources === undefined) return [name, resources] as const;
    const requests = status.allocatedResources ?? status.resources.requests;
    const { limits } = status.resources;
    return [name, { ...resources, ...(limits && { limits }), ...(requests && { requests }) }] as const;
  });
  const whole = wholeInStatus(pod);
  return { ...Object.fromEntries(found), ...(whole && { [POD_ITSELF]: whole }) };
}

function wholeInStatus({ spec: { resources }, status }: Pod): ResourceRequirements | undefined {
  if (resources === undefined || status?.resources === undefined) return resources;
  const requests = status.allocatedResources ?? status.resources.requests;
  const { limits } = status.resources;
  return { ...resources, ...(limits && { limits }), ...(requests && { requests }) };
}

/** Text of an event about a resize, as other kubelets have it: what was asked for, as JSON. */
export function resizeMessage(what: string, pod: Pod, error?: string): string {
  const amounts = ({ limits, requests }: ResourceRequirements) => ({
    ...(limits && { limits: sorted(limits) }),
    ...(requests && { requests: sorted(requests) }),
  });
  const summary = ({ name, resources = {} }: Container) => ({ name, resources: amounts(resources) });
  const { containers, initContainers = [] } = pod.spec;
  const sidecars = initContainers.filter(isSidecar);
  const text = JSON.stringify({
    ...(pod.spec.resources && { resources: amounts(pod.spec.resources) }),
    ...(sidecars.length > 0 && { initContainers: sidecars.map(summary) }),
    containers: containers.map(summary),
    generation: pod.metadata.generation ?? 0,
    ...(error !== undefined && { error }),
  });
  return `Pod resize ${what}: ${text}`;
}

const sorted = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
