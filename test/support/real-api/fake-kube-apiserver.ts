/**
 * Replaces a missing `kube-apiserver`: accepts its flags, rejects unknown ones as the real one does,
 * waits for its etcd, and serves the embedded API at the address and with the certificates it was given.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { systemClock } from '../../../src/actor/clock.ts';
import { systemRandom } from '../../../src/actor/random.ts';
import { ApiCore } from '../../../src/embedded/apiserver/store/api-core.ts';
import { serveHttp } from '../../../src/embedded/apiserver/http/http-server.ts';
import { callNodes } from '../../../src/embedded/apiserver/nodes/node-calls.ts';
import { plainTokens } from '../../../src/embedded/apiserver/subresources/token-issuer.ts';

const flags = [
  'etcd-servers',
  'bind-address',
  'secure-port',
  'client-ca-file',
  'tls-cert-file',
  'tls-private-key-file',
  'kubelet-client-certificate',
  'kubelet-client-key',
  'service-account-issuer',
  'service-account-key-file',
  'service-account-signing-key-file',
  'service-cluster-ip-range',
  'authorization-mode',
  'disable-admission-plugins',
  'allow-privileged',
  'kubelet-preferred-address-types',
] as const;
const { values } = parseArgs({ options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])) });
const flag = (name: (typeof flags)[number]): string => {
  const value = values[name];
  if (typeof value !== 'string') throw new Error(`--${name} is required`);
  return value;
};
const file = (name: (typeof flags)[number]): string => readFileSync(flag(name), 'utf8');

for (const name of ['kubelet-client-certificate', 'kubelet-client-key', 'service-account-key-file'] as const)
  file(name);
const { statusCode } = await request(`${flag('etcd-servers')}/health`);
if (statusCode !== 200) throw new Error('etcd is not healthy');

const core = new ApiCore({
  clock: systemClock,
  random: systemRandom,
  makeUid: () => crypto.randomUUID(),
  tokens: plainTokens(),
});
core.begin();
await serveHttp(core, {
  host: flag('bind-address'),
  port: Number(flag('secure-port')),
  certificate: { certificate: file('tls-cert-file'), key: file('tls-private-key-file') },
  clientAuthority: file('client-ca-file'),
  tokens: new Map(),
  nodeCalls: callNodes(core, { certificate: file('kubelet-client-certificate'), key: file('kubelet-client-key') }),
});
process.on('SIGTERM', () => process.exit(0));
