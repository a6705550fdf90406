import { type ContainerStatus, type Pod, podKey } from '../../kube/pod.ts';
import { isConditionTrue, summarizePod } from '../get/pod-summary.ts';

/** Ready for requests, or done with all it had to do. */
export const isSettled = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || isConditionTrue(pod, 'Ready');

/** Whether as many pods as there are manifests are there, and each is ready or done. */
export const allSettled = (pods: readonly Pod[], manifests: number): boolean =>
  pods.length >= manifests && pods.every(isSettled);

/** Why not all are ready: a line for each pod that is not, and one for manifests that made no pod. */
export function unreadyReasons(pods: readonly Pod[], manifests: number): readonly string[] {
  const lines = pods.filter((pod) => !isSettled(pod)).map(unreadyReason);
  const absent = manifests - pods.length;
  if (absent > 0) lines.push(`${absent} of ${manifests} manifests made no pod; the log says why`);
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
      untrue === undefined
        ? 'nothing is known of its containers yet'
        : `${untrue.type}: ${untrue.message || untrue.reason}`,
    );
  }
  return `${podKey(pod)} is ${summarizePod(pod).status}: ${troubles.join('; ')}`;
}

/** What keeps this container from being ready; `undefined` for one that is ready, or did its work. */
function containerTrouble({ name, ready, state = {} }: ContainerStatus): string | undefined {
  const { waiting, running, terminated } = state;
  if (ready || terminated?.exitCode === 0) return undefined;
  if (terminated !== undefined)
    return detailed(`${name} ended with ${terminated.exitCode}`, terminated.reason, terminated.message);
  if (running !== undefined) return `${name} runs but is not ready`;
  return detailed(`${name} waits`, waiting?.reason, waiting?.message);
}

const detailed = (what: string, ...why: readonly (string | undefined)[]): string => {
  const said = why.filter((each) => each !== undefined && each !== '');
  return said.length === 0 ? what : `${what} (${said.join(': ')})`;
};
