import { StatusManager } from '../../../actors/status-manager/actor.ts';
import type { StatusManagerProtocol, WriteFigures } from '../../../actors/status-manager/protocol.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiFault, ApiRequest } from '../../../src/api/api-request.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod, PodCondition, PodStatus } from '../../../src/kube/pod.ts';
import { apiPodView } from '../../../src/pod/source/api-pod-view.ts';
import { aPod, apiUnderTest, done, podsOf } from '../../embedded/apiserver/api-under-test.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

/** A status manager with an API server in this process, whose calls are recorded and can be made to fail. */
export async function statusInApi() {
  const server = apiUnderTest();
  const calls: ApiRequest[] = [];
  const faults: { next: (request: ApiRequest) => ApiFault | undefined } = { next: () => undefined };
  const transport = inProcessTransport(server.core, {
    intercept: (request) => {
      calls.push(request);
      return faults.next(request);
    },
  });
  const manager = await actorUnderTest<StatusManagerProtocol>({
    address: 'status-manager',
    make: (context) =>
      new StatusManager(context, {
        podThreads: ['here'],
        api: apiClient((request) => transport.call(request, 1_000)),
      }),
    others: { 'pod-manager': () => undefined, 'pod-worker/a': () => undefined },
  });
  const uidOf = new Map<string, string>();
  const read = async (name: string): Promise<Pod> =>
    (await done(server.api.get(`${podsOf()}/${name}`))) as unknown as Pod;
  /** Delivers an object as the reflector would. */
  const seen = async (name: string): Promise<void> => {
    const object = apiPodView(await read(name));
    await manager.tell({ type: 'api-pod-changed', podUid: podUid(uidOf.get(name) ?? object.uid), object });
  };
  const say = (name: string, status: PodStatus) =>
    manager.tell({
      type: 'pod-status-changed',
      podUid: podUid(uidOf.get(name) ?? ''),
      pod: `default/${name}`,
      status,
    });
  return {
    ...manager,
    server,
    calls,
    faults,
    read,
    seen,
    say,
    uidOf,
    /** A pod of the API, bound to this node and known to the status manager. */
    bound: async (name: string, metadata: object = {}): Promise<string> => {
      const created = await done(server.api.create(podsOf(), aPod(name, { metadata, spec: { nodeName: 'n1' } })));
      const uid = created.metadata?.uid ?? '';
      uidOf.set(name, uid);
      await seen(name);
      return uid;
    },
    finish: (name: string, status: PodStatus) =>
      manager.tell({
        type: 'pod-finished',
        podUid: podUid(uidOf.get(name) ?? ''),
        pod: `default/${name}`,
        status,
      }),
    figures: () => manager.ask({ type: 'write-figures' }) as Promise<WriteFigures>,
    verbs: () => calls.map(({ verb, path }) => `${verb} ${path.slice(path.lastIndexOf('/pods/') + 6)}`),
  };
}

export const condition = (type: string, is: 'True' | 'False', parts: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status: is,
  lastTransitionTime: '2026-05-01T12:00:00Z',
  ...parts,
});

export const pending: PodStatus = {
  phase: 'Pending',
  qosClass: 'BestEffort',
  startTime: '2026-05-01T12:00:00Z',
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False', { reason: 'ContainersNotReady' })],
  containerStatuses: [
    {
      name: 'main',
      state: { waiting: { reason: 'ContainerCreating' } },
      ready: false,
      started: false,
      restartCount: 0,
      image: 'app:1',
      imageID: '',
    },
  ],
};

export const running: PodStatus = {
  ...pending,
  phase: 'Running',
  podIP: '10.0.0.7',
  podIPs: [{ ip: '10.0.0.7' }],
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'True')],
  containerStatuses: [
    {
      name: 'main',
      state: { running: { startedAt: '2026-05-01T12:00:01Z' } },
      ready: true,
      started: true,
      restartCount: 0,
      image: 'app:1',
      imageID: 'sha256:1',
      containerID: 'sim://1',
    },
  ],
};

export const succeeded: PodStatus = {
  ...running,
  phase: 'Succeeded',
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False', { reason: 'PodCompleted' })],
  containerStatuses: [
    {
      name: 'main',
      state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: '2026-05-01T12:00:09Z' } },
      ready: false,
      started: false,
      restartCount: 0,
      image: 'app:1',
      imageID: 'sha256:1',
      containerID: 'sim://1',
    },
  ],
};
