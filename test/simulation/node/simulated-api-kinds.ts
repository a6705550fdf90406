import { OBJECT_CACHE } from '../../../actors/object-cache/protocol.ts';
import { POD_SOURCE_API } from '../../../actors/pod-source-api/protocol.ts';
import { NODE_LEASE } from '../../../actors/node-lease/protocol.ts';
import { ApiGateway } from '../../../actors/api-gateway/actor.ts';
import type { ApiGatewayProtocol } from '../../../actors/api-gateway/protocol.ts';
import { apiGatewayClient } from '../../../actors/api-gateway/client.ts';
import { EventRecorder } from '../../../actors/event-recorder/actor.ts';
import { eventRecorderClient } from '../../../actors/event-recorder/client.ts';
import type { EventRecorderProtocol } from '../../../actors/event-recorder/protocol.ts';
import { defaultEventLimits } from '../../../actors/event-recorder/event-writes.ts';
import { MirrorPods } from '../../../actors/mirror-pods/actor.ts';
import type { MirrorPodsProtocol } from '../../../actors/mirror-pods/protocol.ts';
import type { NodeStatusProtocol } from '../../../actors/node-status/protocol.ts';
import { NodeLease } from '../../../actors/node-lease/actor.ts';
import { leaseCallTimeoutMs } from '../../../actors/node-lease/state.ts';
import type { NodeLeaseProtocol } from '../../../actors/node-lease/protocol.ts';
import { ObjectCache } from '../../../actors/object-cache/actor.ts';
import type { ObjectCacheProtocol } from '../../../actors/object-cache/protocol.ts';
import { PodSourceApi } from '../../../actors/pod-source-api/actor.ts';
import type { PodSourceApiProtocol } from '../../../actors/pod-source-api/protocol.ts';
import { POD_MANAGER, type ObservedNode } from '../../../actors/pod-manager/protocol.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import { defaultUnderWay, MOST_WAITING } from '../../../actors/api-gateway/call-queue.ts';
import type { Actor, ActorContext, ActorKind } from '../../../src/actor/actor.ts';
import type { Protocol } from '../../../src/actor/messages/message.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { Tree } from '../../../src/agent/tree.ts';
import { keyOf } from '../../../src/embedded/apiserver/store/object-store.ts';
import type { ThreadLife } from './simulated-thread.ts';

/** Makes a kind of actor of a simulated node. */
export type MakeKind = <P extends Protocol>(
  capacity: number,
  make: (context: ActorContext<P>, init: never) => Actor<P>,
) => ActorKind;

const API_CALL_MS = 10_000;
const LEASE_SECONDS = 40;
const noMetrics = { observe() {}, retried() {}, waited() {} };
const unlimited = { perSecond: 1_000, burst: 1_000 };

const livesIn = ({ threads }: Tree, wanted: string): boolean =>
  threads.some(({ actors }) => actors.some(({ address }) => address === wanted));

/** The actors that exist only with an API server. */
export function simulatedApiKinds(
  api: SimulatedApi,
  life: ThreadLife,
  {
    kind,
    nodeName,
    hostIp,
    tree,
  }: { readonly kind: MakeKind; readonly nodeName: string; readonly hostIp: string; readonly tree: Tree },
): Readonly<Record<string, ActorKind>> {
  // These objects outlive an incarnation of the gateway, as on a real thread.
  const gateway = {
    transport: api.transportFor(life),
    watches: new Map(),
    server: 'https://api.simulated',
    metrics: noMetrics,
    listeners: [NODE_LEASE, POD_SOURCE_API, OBJECT_CACHE].filter((address) => livesIn(tree, address)),
    limits: {
      calls: unlimited,
      events: unlimited,
      reviews: unlimited,
      underWay: defaultUnderWay,
      waiting: MOST_WAITING,
    },
  };
  const addresses = { addresses: [{ type: 'InternalIP', address: hostIp }], from: 'node' };
  const nodeOf = () => api.core.store.collection('nodes').get(keyOf(undefined, nodeName));
  return {
    'api-gateway': kind<ApiGatewayProtocol>(100_000, (context) => new ApiGateway(context, gateway)),
    'event-recorder': kind<EventRecorderProtocol>(100_000, (context) => {
      const api = apiClient(apiGatewayClient(context, API_CALL_MS));
      return new EventRecorder(context, { api, nodeName, limits: defaultEventLimits });
    }),
    'mirror-pods': kind<MirrorPodsProtocol>(100_000, (context) => {
      const api = apiClient(apiGatewayClient(context, API_CALL_MS));
      return new MirrorPods(context, { api, nodeName });
    }),
    // The simulation does not maintain the node's object: the actor only reports the API's version.
    'node-status': kind<NodeStatusProtocol>(1_000, (context) => ({
      start: () => watchNode(context, { transport: api.transportFor(life), nodeName }),
      tell() {},
      ask: (question) =>
        ({
          'node-addresses': () => addresses,
          'node-object': nodeOf,
          'known-node': () => ({ ...addresses, node: nodeOf() }),
        })[question.type](),
    })),
    'node-lease': kind<NodeLeaseProtocol>(
      1_000,
      (context) =>
        new NodeLease(context, {
          api: apiClient(apiGatewayClient(context, leaseCallTimeoutMs(LEASE_SECONDS))),
          settings: { nodeName, durationSeconds: LEASE_SECONDS },
        }),
    ),
    'object-cache': kind<ObjectCacheProtocol>(
      100_000,
      (context) => new ObjectCache(context, { strategy: 'Watch', count: () => () => {} }),
    ),
    'pod-source-api': kind<PodSourceApiProtocol>(
      100_000,
      (context) => new PodSourceApi(context, { nodeName, count() {}, recordEvent: eventRecorderClient(context) }),
    ),
  };
}

/** Reports the Node object to the pod manager. A broken watch is not reopened, so the last report stays. */
function watchNode(
  context: Pick<ActorContext, 'ref'>,
  { transport, nodeName }: { readonly transport: ApiTransport; readonly nodeName: string },
): void {
  transport.watch('/api/v1/nodes?watch=true&resourceVersion=0', {
    events(events) {
      for (const { type, object } of events) {
        const node = object as ObservedNode;
        if (type !== 'MODIFIED' || node.metadata.name !== nodeName) continue;
        context.ref(POD_MANAGER).tell({ type: 'node-observed', node });
      }
    },
    ended() {},
  });
}
