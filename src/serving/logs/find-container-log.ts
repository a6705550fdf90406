import { own } from '../../kube/text/own.ts';
import type { ContainerStatus, Pod } from '../../kube/pod.ts';

export type FoundContainerLog =
  | { readonly ok: true; readonly containerId: string }
  | { readonly ok: false; readonly status: 400 | 404; readonly problem: string };

const bare = (containerID: string | undefined): string | undefined =>
  containerID?.replace(/^[^:]*:\/\//, '') || undefined;

const waitingTexts: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** Returns the container whose log is requested, by the pod's status (kubelet: container logs). */
export function findContainerLog(pod: Pod, container: string, previous: boolean): FoundContainerLog {
  const { spec, status = {}, metadata } = pod;
  const named = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  if (!named.some(({ name }) => name === container)) {
    return { ok: false, status: 404, problem: `container ${container} not found in pod ${metadata.name}` };
  }
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  const refuse = (problem: string): FoundContainerLog => ({ ok: false, status: 400, problem });
  const what = `container "${container}" in pod "${metadata.name}"`;
  if (found === undefined) return refuse(`${what} is not available`);
  const last = bare(found.lastState?.terminated?.containerID);
  if (previous) {
    return last === undefined ? refuse(`previous terminated ${what} not found`) : { ok: true, containerId: last };
  }
  const containerId = currentId(found) ?? last;
  if (containerId !== undefined) return { ok: true, containerId };
  const reason = found.state?.waiting?.reason ?? 'not started';
  return refuse(`${what} is waiting to start: ${own(waitingTexts, reason) ?? reason}`);
}

function currentId({ state = {}, containerID }: ContainerStatus): string | undefined {
  if (state.running !== undefined) return bare(containerID);
  if (state.terminated !== undefined) return bare(state.terminated.containerID);
  return undefined;
}

/** Returns the running container of that name, for calls into it. `undefined` when it does not run. */
export function runningContainerId({ status = {} }: Pod, container: string): string | undefined {
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  return found?.state?.running === undefined ? undefined : bare(found.containerID);
}
