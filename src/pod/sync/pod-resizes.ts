import type { ContainerId } from '../../kube/ids.ts';
import { own } from '../../kube/text/own.ts';
import type { Container, Pod, ResourceRequirements } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { quantityNano } from '../../kube/quantity.ts';
import type { ResizeVerdict } from './pod-observation.ts';

/**
 * Resources by container name, present or wanted. The empty name stands for the pod as a whole (KEP-5419). Plain data
 * that is kept on disk.
 */
export type PodResources = Readonly<Record<string, ResourceRequirements>>;

/** No container has this name. */
export const POD_ITSELF = '';

/**
 * By container ID: the resources last sent to the runtime. Containers created before the pod's first resize are absent.
 * The empty ID stands for the pod as a whole.
 */
export type ActuatedResources = ReadonlyMap<ContainerId, ResourceRequirements>;

/** The reason why a resize is still pending, as reason and message of the pod's condition. */
export interface PendingResize {
  /** `Deferred`: the resize is retried. `Infeasible`: it is not. */
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
}

/** The resources allocated to a pod that was resized (KEP-1287). */
export interface AllocatedResources {
  /** The pod's resources before any resize. Containers created before the first resize have these. */
  readonly original: PodResources;
  readonly allocated: PodResources;
}

/** The resources that can change while a container runs. */
const RESIZABLE = ['cpu', 'memory'] as const;
const KINDS = ['requests', 'limits'] as const;
export type Resizable = (typeof RESIZABLE)[number];

/** Returns the containers that can be resized: those that run as long as the pod does. */
export const resizableContainers = ({ spec }: Pod): readonly Container[] => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter(isSidecar),
];

export const resourcesOf = (pod: Pod): PodResources => ({
  ...Object.fromEntries(resizableContainers(pod).map(({ name, resources }) => [name, resources ?? {}])),
  ...(pod.spec.resources && { [POD_ITSELF]: pod.spec.resources }),
});

/** Returns a container's resources, with the limits of the whole pod in place of missing ones. */
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

/** Returns the same pod with these resources. Containers without an entry keep their own. */
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

/** Returns which of the two resources differ, by amount: `1` and `1000m` are equal. */
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

/** The kubelet's labels for resizes that this node can never do. */
export type InfeasibleDetail =
  'static_pod' | 'qos_class' | 'feature_gate_off' | 'swap_limitation' | 'insufficient_node_allocatable';

/** A requested change of one amount of a container. */
export interface RequestedResize {
  readonly resource: Resizable;
  readonly requirement: (typeof KINDS)[number];
  readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
}

/** Returns every amount in which the pod's spec differs from the resources its containers have. */
export const requestedResizes = (pod: Pod, before: PodResources): readonly RequestedResize[] =>
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

/** `true` if the pod's spec asks for resources that differ from these. */
export const asksForOther = (pod: Pod, resources: PodResources): boolean =>
  asksForOtherAsAWhole(pod, resources[POD_ITSELF]) ||
  resizableContainers(pod).some(
    ({ name, resources: asked }) => changedResources(asked, own(resources, name)).length > 0,
  );

/** `true` if the pod as a whole asks for other amounts. The kinds of its resources are fixed at creation. */
export const asksForOtherAsAWhole = ({ spec }: Pod, resources: ResourceRequirements | undefined): boolean =>
  spec.resources !== undefined && resources !== undefined && changedResources(spec.resources, resources).length > 0;

/** Returns how a running container with these resources gets those of its definition (`resizePolicy`). */
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

/** Returns the allocated resources from the API's status, for a pod that was resized while this node ran no agent. */
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

/** Returns the text of a resize event in the kubelet's form: the requested resources as JSON. */
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
