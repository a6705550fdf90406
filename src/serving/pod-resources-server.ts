import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectories } from '../host/exact-modes.ts';
import { Server, ServerCredentials, status, type handleUnaryCall } from '@grpc/grpc-js';
import type { Clock } from '../actor/clock.ts';
import { TokenBucket } from '../actor/token-bucket.ts';
import type { Pod } from '../kube/pod.ts';
import type { NodeServer } from './node-server.ts';
import type { ServerMetrics } from './server-metrics.ts';
import {
  decodePodName,
  encodePod,
  encodePodList,
  type PodName,
  type PodResources,
  type PodResourcesMethod,
} from './pod-resources-messages.ts';
import { messageOf } from '../kube/text/message-of.ts';

export interface PodResourcesTools {
  readonly socketPath: string;
  readonly pods: () => Promise<readonly Pod[]>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** `undefined` when nothing is counted. */
  readonly metrics?: Pick<ServerMetrics, 'podResources'>;
}

/** The kubelet's own limit of calls. */
const RATE = { perSecond: 100, burst: 10 };

const same = (bytes: Buffer): Buffer => bytes;
const method = <Q>(name: string, requestDeserialize: (bytes: Buffer) => Q) => ({
  path: `/v1.PodResourcesLister/${name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: () => Buffer.alloc(0),
  requestDeserialize,
  responseSerialize: same,
  responseDeserialize: same,
});

/** The pod resources service (KEP-606), with answers that are encoded here. */
export const podResourcesService = {
  List: method('List', same),
  GetAllocatableResources: method('GetAllocatableResources', same),
  Get: method('Get', decodePodName),
};

class NotFound extends Error {}

/** Serves on a unix socket and makes its folder. Rejects on failure. A socket left behind is removed. */
export async function openPodResourcesServer({
  socketPath,
  pods,
  clock,
  metrics,
}: PodResourcesTools): Promise<NodeServer> {
  makeDirectories(dirname(socketPath), 0o750);
  // The root folder belongs to this agent alone: the process that made the socket is gone.
  if (lstatSync(socketPath, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(socketPath);
  const bucket = new TokenBucket(RATE, clock.monotonic());
  const limited =
    <Q>(name: PodResourcesMethod, answer: (request: Q) => Promise<Buffer>): handleUnaryCall<Q, Buffer> =>
    (call, send) => {
      if (!bucket.take(clock.monotonic())) {
        return send({ code: status.RESOURCE_EXHAUSTED, details: 'rejected by rate limit' });
      }
      answer(call.request).then(
        (bytes) => {
          metrics?.podResources(name, 'ok');
          return send(null, bytes);
        },
        (error: unknown) => {
          metrics?.podResources(name, 'error');
          const code = error instanceof NotFound ? status.NOT_FOUND : status.UNAVAILABLE;
          send({ code, details: messageOf(error) });
        },
      );
    };
  const active = async (): Promise<readonly PodResources[]> => (await pods()).filter(isActive).map(resourcesOf);
  const server = new Server();
  server.addService(podResourcesService, {
    List: limited('List', async () => encodePodList(await active())),
    // Without managers of processors, memory and devices there is nothing to allocate to one container.
    GetAllocatableResources: limited('GetAllocatableResources', () => Promise.resolve(Buffer.alloc(0))),
    Get: limited('Get', async ({ podName, podNamespace }: PodName) => {
      const found = (await active()).find(({ name, namespace }) => name === podName && namespace === podNamespace);
      if (found === undefined) throw new NotFound(`pod ${podName} in namespace ${podNamespace} not found`);
      return encodePod(found);
    }),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  chmodSync(socketPath, 0o600);
  return {
    port: 0,
    setTls: () => false,
    close() {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

const isActive = ({ status: { phase } = {} }: Pod): boolean => phase !== 'Succeeded' && phase !== 'Failed';

/** Containers that may run as long as the pod: its own containers, and its sidecars. */
function resourcesOf({ metadata, spec }: Pod): PodResources {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    containers: [...sidecars, ...spec.containers].map(({ name }) => ({ name })),
  };
}
