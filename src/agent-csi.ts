import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { apiThroughGateway } from '../actors/api-gateway/client.ts';
import { driverTokensThroughCache } from '../actors/driver-tokens-through-cache.ts';
import { CsiManager } from '../actors/csi-manager/actor.ts';
import { csiMetrics } from '../actors/csi-manager/metrics.ts';
import { KeyedWork } from '../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../actors/csi-manager/protocol.ts';
import { noStorageObjects, storageObjects } from '../actors/csi-manager/storage-objects.ts';
import { actorKind, type ActorKind } from './actor/actor.ts';
import type { MetricFamilies } from './actor/metric-families.ts';
import { systemClock } from './actor/clock.ts';
import { apiUse } from './agent/api-settings.ts';
import type { AgentSettings } from './agent/agent.ts';
import { apiClient } from './api/api-client.ts';
import type { FetchToken } from './csi/driver-tokens.ts';
import { hostCsiFiles } from './csi/csi-files.ts';
import { PLUGINS_REGISTRY, pluginSockets } from './csi/plugin-sockets.ts';

const noToken: FetchToken = () =>
  Promise.resolve({ ok: false, message: 'failed to fetch token: this node runs without an API server' });

const API_CALL_MS = 30_000;

/** The actor that knows the CSI drivers of this node. */
export function csiManagerKind(settings: AgentSettings, families: MetricFamilies): ActorKind {
  const { rootDir, nodeName } = settings;
  const registry = join(rootDir, PLUGINS_REGISTRY);
  const inCluster = apiUse(settings) === 'api';
  const work = new KeyedWork();
  const observed = csiMetrics(families);
  return actorKind<CsiManagerProtocol>({
    mailbox: { capacity: 100_000 },
    make(context) {
      mkdirSync(registry, { recursive: true, mode: 0o750 });
      return new CsiManager(context, {
        place: { rootDir, nodeName, files: hostCsiFiles },
        // Most nodes never see a driver, and the library is what a thread weighs most by.
        connections: async () =>
          (await import('./csi/csi-client.ts')).csiConnections(() => systemClock.now(), observed),
        objects: inCluster
          ? storageObjects(apiClient(apiThroughGateway(context, API_CALL_MS)), nodeName)
          : noStorageObjects,
        token: inCluster ? driverTokensThroughCache(context) : noToken,
        sockets: () => pluginSockets(registry),
        work,
        inCluster,
      });
    },
  });
}
