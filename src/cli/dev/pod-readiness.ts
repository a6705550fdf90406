import { type ContainerStatus, type Pod, podKey } from '../../kube/pod.ts';
import { isConditionTrue, summarizePod } from '../get/pod-summary.ts';

/** `true` if the pod is ready for requests, or has finished. */
export const isSettled = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || isConditionTrue(pod, 'Ready');

/** `true` if there is a pod for each manifest, and each is ready or has finished. */
export const allSettled = (pods: readonly Pod[], manifests: number): boolean =>
  pods.length >= manifests && pods.every(isSettled);

/** Returns why not all pods are ready: one line for each such pod, and one for manifests without a pod. */
export function unreadyReasons(pods: readonly Pod[], manifests: number): readonly string[] {
  const lines = pods.filter((pod) => !isSettled(pod)).map(unreadyReason);
  const absent = manifests - pods.length;
  if (absent > 0) lines.push(`${absent} of ${manifests} manifests did not become pods; the log says why`);
  return lines;
}

function unreadyReason(pod: Pod): string {
  const { initContainerStatuses = [], containerStatuses = [], message, conditions = [] } = pod.status ?? {};
  const troubles = [...initContainerStatuses, ...containerStatuses]
    .map(containerTrouble)
    .filter((each) => each !== undefined);
  if (message !== undefined && message !== '') troubles.unshift(message);
  if (troubles.length === 0) {
    const untrue = conditions.find(({ status, reason }) => status !== 'True' && reason !== undefined);
    troubles.push(
      untrue === undefined ? 'its containers have no status yet' : `${untrue.type}: ${untrue.message || untrue.reason}`,
    );
  }
  return `${podKey(pod)} is ${summarizePod(pod).status}: ${troubles.join('; ')}`;
}

/** Returns why this container is not ready. `undefined` for a container that is ready, or has finished. */
function containerTrouble({ name, ready, state = {} }: ContainerStatus): string | undefined {
  const { waiting, running, terminated } = state;
  if (ready || terminated?.exitCode === 0) return undefined;
  if (terminated !== undefined)
    return detailed(`${name} exited with code ${terminated.exitCode}`, terminated.reason, terminated.message);
  if (running !== undefined) return `${name} runs but is not ready`;
  return detailed(`${name} waits`, waiting?.reason, waiting?.message);
}

const detailed = (what: string, ...why: readonly (string | undefined)[]): string => {
  const said = why.filter((each) => each !== undefined && each !== '');
  return said.length === 0 ? what : `${what} (${said.join(': ')})`;
};
