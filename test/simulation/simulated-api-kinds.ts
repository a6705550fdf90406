import { ApiGateway } from '../../actors/api-gateway/actor.ts';
import type { ApiGatewayProtocol } from '../../actors/api-gateway/protocol.ts';
import { apiThroughGateway } from '../../actors/api-through-gateway.ts';
import { EventRecorder } from '../../actors/event-recorder/actor.ts';
import type { EventRecorderProtocol } from '../../actors/event-recorder/protocol.ts';
import { defaultEventLimits } from '../../actors/event-recorder/state.ts';
import { MirrorPods } from '../../actors/mirror-pods/actor.ts';
import type { MirrorPodsProtocol } from '../../actors/mirror-pods/protocol.ts';
import type { NodeStatusProtocol } from '../../actors/node-status/protocol.ts';
import { ObjectCache } from '../../actors/object-cache/actor.ts';
import type { ObjectCacheProtocol } from '../../actors/object-cache/protocol.ts';
import { PodSourceApi } from '../../actors/pod-source-api/actor.ts';
import type { PodSourceApiProtocol } from '../../actors/pod-source-api/protocol.ts';
import { apiClient } from '../../src/api/api-client.ts';
import { nodePath } from '../../src/api/api-path.ts';
import type { Node } from '../../src/kube/node.ts';
import { defaultUnderWay, MOST_WAITING } from '../../actors/api-gateway/state.ts';
import type { Actor, ActorContext, ActorKind } from '../../src/actor/actor.ts';
import type { Protocol } from '../../src/actor/message.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { ThreadLife } from './simulated-thread.ts';

/** Makes a kind of actor of a simulated node. */
export type MakeKind = <P extends Protocol>(
  capacity: number,
  make: (context: ActorContext<P>, init: never) => Actor<P>,
) => ActorKind;

const API_CALL_MS = 10_000;
const noMetrics = { observe() {}, retried() {}, waited() {} };
const unlimited = { perSecond: 1_000, burst: 1_000 };

/** The actors that there are because there is an API server. */
export function simulatedApiKinds(
  api: SimulatedApi,
  life: ThreadLife,
  { kind, nodeName }: { readonly kind: MakeKind; readonly nodeName: string },
): Readonly<Record<string, ActorKind>> {
  // These outlive an incarnation of the gateway, as on a real thread.
  const gateway = {
    transport: api.transportFor(life),
    watches: new Map(),
    server: 'https://api.simulated',
    metrics: noMetrics,
    listeners: ['pod-source-api', 'object-cache'],
    limits: { calls: unlimited, events: unlimited, underWay: defaultUnderWay, waiting: MOST_WAITING },
  };
  return {
    'api-gateway': kind<ApiGatewayProtocol>(100_000, (context) => new ApiGateway(context, gateway)),
    'event-recorder': kind<EventRecorderProtocol>(100_000, (context) => {
      const api = apiClient(apiThroughGateway(context, API_CALL_MS));
      return new EventRecorder(context, { api, nodeName, limits: defaultEventLimits });
    }),
    'mirror-pods': kind<MirrorPodsProtocol>(100_000, (context) => {
      const api = apiClient(apiThroughGateway(context, API_CALL_MS));
      return new MirrorPods(context, { api, nodeName });
    }),
    // The node's object is somebody else's business: here it only says what the API has.
    'node-status': kind<NodeStatusProtocol>(1_000, (context) => ({
      tell() {},
      async ask(): Promise<Node | undefined> {
        const node = await apiClient(apiThroughGateway(context, API_CALL_MS)).get<Node>(nodePath(nodeName));
        return node.ok ? node.value : undefined;
      },
    })),
    'object-cache': kind<ObjectCacheProtocol>(
      100_000,
      (context) => new ObjectCache(context, { strategy: 'Watch', count: () => () => {} }),
    ),
    'pod-source-api': kind<PodSourceApiProtocol>(
      100_000,
      (context) => new PodSourceApi(context, { nodeName, count() {} }),
    ),
  };
}
