import * as grpc from '@grpc/grpc-js';
import { ContainerEventResponse, ContainerEventType } from '../../src/cri/gen/api.ts';
import { containerEventsPath } from '../../src/cri/methods.ts';

/** Watches a runtime from the side, so that waiting costs the agent nothing. */
export interface StartedContainers extends Disposable {
  /** Start time of each pod's first container in the runtime, in milliseconds since the epoch, by pod UID. */
  readonly startedAt: ReadonlyMap<string, number>;
  /** Resolves when so many pods have one. Rejects if the runtime stops telling. */
  atLeast(pods: number): Promise<void>;
}

export function watchStartedContainers(socket: string): StartedContainers {
  const startedAt = new Map<string, number>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let look = (): void => {};
  const client = new grpc.Client(`unix://${socket}`, grpc.credentials.createInsecure());
  const stream = client.makeServerStreamRequest(
    containerEventsPath,
    (nothing: Buffer) => nothing,
    (bytes: Buffer) => ContainerEventResponse.decode(bytes),
    Buffer.alloc(0),
  );
  stream.on('data', (event: ContainerEventResponse) => {
    if (event.containerEventType !== ContainerEventType.CONTAINER_STARTED_EVENT) return;
    const uid = event.podSandboxStatus?.metadata?.uid;
    const status = event.containersStatuses.find(({ id }) => id === event.containerId);
    if (uid === undefined || status === undefined || startedAt.has(uid)) return;
    startedAt.set(uid, Number(status.startedAt / 1_000n) / 1_000);
    look();
  });
  stream.on('error', (error) => failed.reject(new Error(`the runtime's event stream ended: ${error.message}`)));
  return {
    startedAt,
    atLeast: (pods) =>
      Promise.race([
        failed.promise,
        new Promise<void>((resolve) => {
          look = () => {
            if (startedAt.size >= pods) resolve();
          };
          look();
        }),
      ]),
    [Symbol.dispose]() {
      stream.cancel();
      client.close();
    },
  };
}
