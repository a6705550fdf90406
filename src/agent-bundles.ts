import type { Caller } from '../actors/cri-through-gateway.ts';
import { apiThroughGateway } from '../actors/api-through-gateway.ts';
import type { ActorContext } from './actor/actor.ts';
import { apiUse } from './agent-api.ts';
import type { AgentSettings } from './agent.ts';
import { apiClient } from './api/api-client.ts';
import { gatesOf } from './config/feature-gates.ts';
import { noBundles, type ObjectSource } from './volumes/object-source.ts';
import { TrustBundles } from './volumes/trust-bundles.ts';

const API_CALL_MS = 30_000;

/** Where ClusterTrustBundles come from: the API, where there is one and the node's feature gate lets them be. */
export function bundlesFor(
  context: Caller & Pick<ActorContext, 'clock'>,
  settings: AgentSettings,
): Pick<ObjectSource, 'bundle'> {
  const isOn = gatesOf(settings.config)('ClusterTrustBundleProjection');
  if (!isOn || apiUse(settings) !== 'api') return noBundles;
  const bundles = new TrustBundles(apiClient(apiThroughGateway(context, API_CALL_MS)), () => context.clock.monotonic());
  return { bundle: (request) => bundles.get(request) };
}
