import { ApiGateway } from '../../actors/api-gateway/actor.ts';
import type { ApiGatewayProtocol } from '../../actors/api-gateway/protocol.ts';
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

const noMetrics = { observe() {}, retried() {}, waited() {} };
const unlimited = { perSecond: 1_000, burst: 1_000 };

/** The actors that there are because there is an API server. */
export function simulatedApiKinds(
  api: SimulatedApi,
  life: ThreadLife,
  kind: MakeKind,
): Readonly<Record<string, ActorKind>> {
  // These outlive an incarnation of the gateway, as on a real thread.
  const gateway = {
    transport: api.transportFor(life),
    watches: new Map(),
    server: 'https://api.simulated',
    metrics: noMetrics,
    listeners: [],
    limits: { calls: unlimited, events: unlimited, underWay: defaultUnderWay, waiting: MOST_WAITING },
  };
  return {
    'api-gateway': kind<ApiGatewayProtocol>(100_000, (context) => new ApiGateway(context, gateway)),
  };
}
