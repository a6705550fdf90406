import type { AdminClient } from '../../../src/cli/admin/admin-client.ts';
import type { ContainerStatus, Pod } from '../../../src/kube/pod.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import { NODE_NAME } from './agent-process.ts';

/** Returns the name of a static pod on the node under test. */
export const onNode = (name: string): string => `${name}-${NODE_NAME}`;

export async function podCalled(admin: AdminClient, name: string): Promise<Pod | undefined> {
  return (await admin.pods()).find(({ metadata }) => metadata.name === onNode(name));
}

export const isRunningAndReady = ({ status }: Pod): boolean =>
  status?.phase === 'Running' &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Resolves with the pod once it fulfils `condition`. Trouble of the agent in between (it may be just starting) is waited out. */
export function untilPod(
  admin: AdminClient,
  name: string,
  { condition, what, withinMs = 20_000 }: { condition: (pod: Pod) => boolean; what: string; withinMs?: number },
): Promise<Pod> {
  const ask = async (): Promise<Pod | false> => {
    const pod = await podCalled(admin, name).catch(() => undefined);
    return pod !== undefined && condition(pod) && pod;
  };
  return waitUntil(ask, { what: `pod ${name} ${what}`, withinMs, everyMs: 50 });
}

export const untilRunning = (admin: AdminClient, name: string, withinMs?: number): Promise<Pod> =>
  untilPod(admin, name, {
    condition: isRunningAndReady,
    what: 'runs and is ready',
    ...(withinMs === undefined ? {} : { withinMs }),
  });

export function untilAllRunning(admin: AdminClient, count: number, withinMs: number): Promise<readonly Pod[]> {
  const ask = async (): Promise<readonly Pod[] | false> => {
    const pods = await admin.pods().catch(() => []);
    return pods.length === count && pods.every(isRunningAndReady) && pods;
  };
  return waitUntil(ask, { what: `all of ${count} pods run and are ready`, withinMs, everyMs: 50 });
}

export function untilGone(admin: AdminClient, name: string, withinMs = 20_000): Promise<true> {
  const ask = async (): Promise<boolean> => {
    const pods = await admin.pods().catch(() => undefined);
    return pods !== undefined && pods.every(({ metadata }) => metadata.name !== onNode(name));
  };
  return waitUntil(ask, { what: `pod ${name} is gone`, withinMs, everyMs: 50 }).then(() => true);
}

export function containerStatusOf({ status }: Pod, container: string): ContainerStatus {
  const found = status?.containerStatuses?.find(({ name }) => name === container);
  if (found === undefined) throw new Error(`the pod has no status of container ${container}`);
  return found;
}

/** Returns the container ID and restart count of every container, by pod. */
export async function identities(admin: AdminClient): Promise<Readonly<Record<string, string>>> {
  const pods = await admin.pods();
  return Object.fromEntries(
    pods.flatMap(({ metadata, status }) =>
      (status?.containerStatuses ?? []).map(
        ({ name, containerID, restartCount }) =>
          [`${metadata.name}/${name}`, `${containerID} restarted ${restartCount} times`] as const,
      ),
    ),
  );
}
