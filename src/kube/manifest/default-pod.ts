import { defaultContainer } from './default-container.ts';
import { defaultVolume } from './default-volume.ts';
import { hasOwn, put } from '../text/own.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../pod.ts';
import { containersTotal, isPodLevelResource } from '../pod-resources.ts';
import { formatQuantity } from '../quantity.ts';

/**
 * Returns the pod with the API server's defaults. A pod from a file never passed the API server, and all later code
 * relies on these fields. Values that admission plugins add (service account, priority, tolerations) are not defaults.
 */
export function defaultPod(pod: Pod): Pod {
  return { ...pod, spec: defaultSpec(pod.spec) };
}

function defaultSpec(spec: PodSpec): PodSpec {
  const hostNetwork = spec.hostNetwork === true;
  const each = (container: Container): Container => {
    const defaulted = defaultContainer(container);
    return hostNetwork ? withHostPorts(defaulted) : defaulted;
  };
  const serviceAccountName = spec.serviceAccountName ?? spec.serviceAccount;
  const defaulted: PodSpec = {
    ...spec,
    containers: (spec.containers ?? []).map(each),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(each) }),
    ...(spec.volumes === undefined ? {} : { volumes: spec.volumes.map(defaultVolume) }),
    ...(serviceAccountName === undefined ? {} : { serviceAccountName, serviceAccount: serviceAccountName }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    enableServiceLinks: spec.enableServiceLinks ?? true,
  };
  const resources = podLevelResources(defaulted);
  return resources === undefined ? defaulted : { ...defaulted, resources };
}

/** On the host's network a container's port is the host's port. */
function withHostPorts(container: Container): Container {
  if (container.ports === undefined) return container;
  return {
    ...container,
    ports: container.ports.map((port) => ({ ...port, hostPort: port.hostPort || port.containerPort })),
  };
}

/**
 * Returns the pod-level requests when only limits were given: the requests of the containers, else the limit. Huge
 * pages cannot be overcommitted, so their request always equals the limit (KEP-2837, KEP-5474).
 */
function podLevelResources(spec: PodSpec): ResourceRequirements | undefined {
  const { resources } = spec;
  if (resources === undefined) return undefined;
  const limits = { ...resources.limits };
  for (const [name, amount] of Object.entries(resources.requests ?? {})) {
    if (name.startsWith('hugepages-') && !hasOwn(limits, name)) put(limits, name, amount);
  }
  if (Object.keys(limits).length === 0) return resources;

  const requests = { ...resources.requests };
  for (const [name, nano] of containersTotal(spec, 'requests')) {
    if (!isPodLevelResource(name) || name.startsWith('hugepages-')) continue;
    if (hasOwn(requests, name)) continue;
    put(requests, name, formatQuantity({ nano, format: name === 'memory' ? 'binary-si' : 'decimal-si' }));
  }
  for (const [name, amount] of Object.entries(limits))
    if (isPodLevelResource(name) && !hasOwn(requests, name)) put(requests, name, amount);
  return { ...resources, limits, requests };
}
