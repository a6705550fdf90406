import { elapsedMs, later, type Clock } from '../actor/clock.ts';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import {
  NodeGetCapabilitiesRequest,
  NodeGetInfoRequest,
  NodeService,
  NodeServiceCapability_RPC_Type,
  type NodeExpandVolumeRequest,
  type NodeGetVolumeStatsRequest,
  type NodeGetVolumeStatsResponse,
  type NodeGetInfoResponse,
  type NodePublishVolumeRequest,
  type NodeStageVolumeRequest,
  type NodeUnpublishVolumeRequest,
  type NodeUnstageVolumeRequest,
} from './gen/csi.ts';
import { InfoRequest, RegistrationService, RegistrationStatus, type PluginInfo } from './gen/registration.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import type { NodeCapability } from './csi-volume.ts';

export type CsiOutcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: number; readonly message: string };

/** The node service of one driver. Never rejects. */
export interface CsiNode {
  info(): Promise<CsiOutcome<NodeGetInfoResponse>>;
  capabilities(): Promise<CsiOutcome<ReadonlySet<NodeCapability>>>;
  stage(request: NodeStageVolumeRequest): Promise<CsiOutcome<unknown>>;
  unstage(request: NodeUnstageVolumeRequest): Promise<CsiOutcome<unknown>>;
  publish(request: NodePublishVolumeRequest): Promise<CsiOutcome<unknown>>;
  unpublish(request: NodeUnpublishVolumeRequest): Promise<CsiOutcome<unknown>>;
  expand(request: NodeExpandVolumeRequest): Promise<CsiOutcome<unknown>>;
  /** Has a shorter deadline than the other calls, because the caller wants the present state. */
  stats(request: NodeGetVolumeStatsRequest): Promise<CsiOutcome<NodeGetVolumeStatsResponse>>;
  close(): void;
}

/** The registration service behind a plugin's socket. */
export interface PluginSocket {
  info(): Promise<CsiOutcome<PluginInfo>>;
  notify(status: RegistrationStatus): Promise<CsiOutcome<unknown>>;
  close(): void;
}

/** Opens connections to plugins. */
export interface CsiConnections {
  node(endpoint: string, driver: string): CsiNode;
  plugin(socket: string): PluginSocket;
}

/** Storage calls may take long (kubelet: 2m); a registration may not. */
const CALL_WITHIN_MS = 120_000;
const REGISTER_WITHIN_MS = 10_000;
const STATS_WITHIN_MS = 5_000;

/** A driver's largest answer describes its topology. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

interface Calling {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly observe?: ObserveCall | undefined;
}

interface Method<Q, A> {
  readonly path: string;
  readonly requestSerialize: (request: Q) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => A;
}

/** Receives the duration and end of each call, by the method's full name. */
export type ObserveCall = (call: { readonly method: string; readonly code: string; readonly seconds: number }) => void;

function caller(socket: string, withinMs: number, { clock, observe }: Calling) {
  const client = new Client(`unix:${socket.replace(/^unix:(\/\/)?/, '')}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': MOST_ANSWER_BYTES,
  });
  return {
    call: <Q, A>(method: Method<Q, A>, request: Q, deadlineMs = withinMs): Promise<CsiOutcome<A>> =>
      new Promise((resolve) => {
        const begun = clock.monotonic();
        const answer = (error: ServiceError | null, value?: A): void => {
          const code = error === null ? 'OK' : (CODES[error.code] ?? 'Unknown');
          observe?.({ method: method.path, code, seconds: elapsedMs(begun, clock.monotonic()) / 1000 });
          resolve(
            error === null && value !== undefined
              ? { ok: true, value }
              : { ok: false, code: error?.code ?? 2, message: describe(error) },
          );
        };
        const options = { deadline: later(clock.now(), deadlineMs) };
        client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          options,
          answer,
        );
      }),
    close: () => client.close(),
  };
}

/** The words that users of the kubelet search for. */
const describe = (error: ServiceError | null): string =>
  error === null
    ? 'no answer'
    : `rpc error: code = ${CODES[error.code] ?? error.code} desc = ${excerpt(error.details, MOST_DETAIL)}`;

/** A driver may put whole program outputs there. */
const MOST_DETAIL = 4_096;

const CODES: Readonly<Record<number, string>> = {
  1: 'Canceled',
  2: 'Unknown',
  3: 'InvalidArgument',
  4: 'DeadlineExceeded',
  5: 'NotFound',
  6: 'AlreadyExists',
  7: 'PermissionDenied',
  8: 'ResourceExhausted',
  9: 'FailedPrecondition',
  10: 'Aborted',
  11: 'OutOfRange',
  12: 'Unimplemented',
  13: 'Internal',
  14: 'Unavailable',
  16: 'Unauthenticated',
};

const CAPABILITIES = new Map(
  // Generated code gives an enum both ways; numbers are looked up only.
  Object.entries(NodeServiceCapability_RPC_Type).map(([name, number]) => [number as number, name]),
);

/** Connects to plugins on unix sockets of this host. The transport's deadlines use the wall clock. */
export function csiConnections(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  observed?: (driver: string) => ObserveCall,
): CsiConnections {
  return {
    node(endpoint, driver) {
      const observe = observed?.(driver);
      const { call, close } = caller(endpoint, CALL_WITHIN_MS, { clock, observe });
      return {
        info: () => call(NodeService.nodeGetInfo, NodeGetInfoRequest.create()),
        async capabilities() {
          const outcome = await call(NodeService.nodeGetCapabilities, NodeGetCapabilitiesRequest.create());
          if (!outcome.ok) return outcome;
          const names = outcome.value.capabilities.map(({ rpc }) => CAPABILITIES.get(rpc?.type ?? 0) ?? 'UNKNOWN');
          // The set is asked for known names only; other names do no harm in it.
          return { ok: true, value: new Set(names as NodeCapability[]) };
        },
        stage: (request) => call(NodeService.nodeStageVolume, request),
        unstage: (request) => call(NodeService.nodeUnstageVolume, request),
        publish: (request) => call(NodeService.nodePublishVolume, request),
        unpublish: (request) => call(NodeService.nodeUnpublishVolume, request),
        expand: (request) => call(NodeService.nodeExpandVolume, request),
        stats: (request) => call(NodeService.nodeGetVolumeStats, request, STATS_WITHIN_MS),
        close,
      };
    },
    plugin(socket) {
      const { call, close } = caller(socket, REGISTER_WITHIN_MS, { clock });
      return {
        info: () => call(RegistrationService.getInfo, InfoRequest.create()),
        notify: (status) => call(RegistrationService.notifyRegistrationStatus, status),
        close,
      };
    },
  };
}
