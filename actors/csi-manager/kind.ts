import { join } from 'node:path';
import { ROOT_DIR_MODE } from '../../src/host/data-directories.ts';
import { makeDirectories } from '../../src/host/exact-modes.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { apiUse } from '../../src/agent/settings.ts';
import { apiClient } from '../../src/api/api-client.ts';
import type { FetchToken } from '../../src/csi/driver-tokens.ts';
import { hostCsiFiles } from '../../src/csi/csi-files.ts';
import { PLUGINS_REGISTRY, pluginSockets } from '../../src/csi/plugin-sockets.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { driverTokensClient } from '../object-cache/client.ts';
import { CsiManager } from './actor.ts';
import { KeyedWork } from './keyed-work.ts';
import { csiMetrics } from './metrics.ts';
import { noStorageObjects, storageObjects } from './storage-objects.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { CsiManagerProtocol } from './protocol.ts';

const noToken: FetchToken = () =>
  Promise.resolve({ ok: false, message: 'failed to fetch token: this node runs without an API server' });

/** The actor that knows the CSI drivers of this node. */
export const kind = agentKind<CsiManagerProtocol>({
  runsOn: 'volumes',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'scan-due': true,
    'sockets-listed': true,
    'set-up-volume': true,
    'measure-volumes': true,
    'plugin-checked': true,
    'tear-down-volumes': true,
  },
  make({ settings, metrics }) {
    const { rootDir, nodeName } = settings;
    const registry = join(rootDir, PLUGINS_REGISTRY);
    const inCluster = apiUse(settings) === 'api';
    const work = new KeyedWork();
    const observed = csiMetrics(metrics);
    return (context) => {
      makeDirectories(registry, ROOT_DIR_MODE);
      return new CsiManager(context, {
        place: { rootDir, nodeName, files: hostCsiFiles },
        // Loaded on demand: most nodes never see a driver, and the gRPC library is most of a thread's memory.
        connections: async () => (await import('../../src/csi/csi-client.ts')).csiConnections(systemClock, observed),
        objects: inCluster
          ? storageObjects(apiClient(apiGatewayClient(context, API_CALL_MS)), nodeName)
          : noStorageObjects,
        token: inCluster ? driverTokensClient(context) : noToken,
        sockets: () => pluginSockets(registry),
        work,
        inCluster,
      });
    };
  },
});
