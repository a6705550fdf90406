import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { protobufCodec } from '../../../src/api/protobuf/protobuf-codec.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { networkTransport, type NetworkTransportOptions } from '../../../src/api/transport/network-transport.ts';

/** Returns a transport to the API server of a kubeconfig, as its user. It exchanges protobuf, as the agent does. */
export const transportOf = (
  kubeconfig: string,
  { codec = protobufCodec(), answered }: Pick<NetworkTransportOptions, 'codec' | 'answered'> = {},
): ApiTransport => networkTransport({ ...optionsOf(kubeconfig), codec, ...(answered !== undefined && { answered }) });

/** Returns a transport that exchanges JSON only. */
export const jsonTransportOf = (kubeconfig: string): ApiTransport => networkTransport(optionsOf(kubeconfig));

const optionsOf = (kubeconfig: string): NetworkTransportOptions => ({
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
