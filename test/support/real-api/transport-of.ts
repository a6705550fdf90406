import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from '../../../src/api/transport/network-transport.ts';

/** Returns a transport to the API server of a kubeconfig, as its user. */
export const transportOf = (kubeconfig: string): ApiTransport =>
  networkTransport({
    source: kubeconfigIdentity(kubeconfig, {
      readFile: (path) => readFile(path, 'utf8'),
      runPlugin: () => Promise.reject(new Error('tests have no credential plugin')),
      now: () => systemClock.now(),
    }),
    open: openConnections,
    clock: systemClock,
    log: silentLog,
    userAgent: 'hivelet-test',
  });
