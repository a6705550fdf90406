import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessAttributes } from '../../src/serving/access/authorization-attributes.ts';
import { facts, methodsOf, pathOf, type EndpointFact } from './kubelet-endpoints.ts';
import { head, readRaw, sendRaw } from './raw-request.ts';
import { type ClientCertificate, LOG_PATH, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

/** The protocols of an upgrade request. `stream`: a protocol of the runtime's streams. */
const upgrades = {
  'no upgrade': { headers: [], stream: false },
  'SPDY/3.1': { headers: ['Upgrade: SPDY/3.1'], stream: true },
  websocket: { headers: ['Upgrade: websocket'], stream: true },
  h2c: { headers: ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'], stream: false },
  'an unknown word': { headers: ['Upgrade: made-up/1'], stream: false },
  several: { headers: ['Upgrade: h2c, SPDY/3.1', 'Upgrade: websocket'], stream: true },
} as const;
type Upgrade = keyof typeof upgrades;

/** The clients, by the node subresources that each may use with every verb. */
const identities = {
  anonymous: undefined,
  'somebody without rights': () => [],
  'somebody with the rights of this endpoint': (own: readonly string[]) => own,
  'somebody with every right but those': (own: readonly string[]) => subresources.filter((each) => !own.includes(each)),
  'somebody with nodes/proxy': () => ['proxy'],
} as const;
type Who = keyof typeof identities;

const subresources = [...new Set(facts.endpoints.flatMap(({ authz }) => authz))].toSorted();

/** The answer of an endpoint to an authorized client without a stream, and the resulting runtime request. */
const plainAnswer: Readonly<Record<string, { readonly status: number; readonly asks: readonly string[] }>> = {
  exec: { status: 400, asks: [] },
  attach: { status: 400, asks: [] },
  portForward: { status: 400, asks: [] },
  run: { status: 200, asks: ['ExecSync'] },
  containerLogs: { status: 200, asks: ['ContainerStatus'] },
  checkpoint: { status: 200, asks: ['CheckpointContainer'] },
  // The log file and the number do not exist here.
  '/logs/{logpath:*}': { status: 404, asks: [] },
  '/logs/': { status: 404, asks: [] },
  '/debug/flags/v': { status: 400, asks: [] },
};
/** The runtime request for a stream. */
const streamAsks: Readonly<Record<string, readonly string[]>> = {
  exec: ['Exec'],
  attach: ['Attach'],
  portForward: ['ListPodSandbox', 'PortForward'],
};
const firstOf = ({ path }: EndpointFact): string => path.split('/')[1] ?? '';

/** The rule: an unauthorized client is rejected and learns nothing. Streams exist on three endpoints, and need a protocol. */
function expected(fact: EndpointFact, upgrade: Upgrade, who: Who) {
  const allowed = identities[who]?.(fact.authz).some((right) => fact.authz.includes(right));
  if (allowed === undefined) return { status: 401, asks: [] };
  if (!allowed) return { status: 403, asks: [] };
  const asks = streamAsks[firstOf(fact)];
  if (asks !== undefined && upgrades[upgrade].stream) return { status: 101, asks };
  return plainAnswer[fact.path] ?? plainAnswer[firstOf(fact)] ?? { status: 200, asks: [] };
}

const QUERY = 'command=ls&cmd=ls&input=1&output=1&port=80';

let node: ServerUnderTest;
let runtime: Server;
/** Streams that the runtime was asked to begin. */
let streams = 0;
const certificates = new Map<string, ClientCertificate>();

beforeAll(async () => {
  runtime = createServer((socket) => {
    streams += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  await once(runtime, 'listening');
  node = await serverUnderTest({
    streamUrl: `http://127.0.0.1:${(runtime.address() as AddressInfo).port}/stream/token`,
  });
  node.files.append(LOG_PATH, '');
  // A user for each set of rights that there is to have.
  for (const { authz } of facts.endpoints) {
    for (const rights of Object.values(identities)) {
      if (rights === undefined) continue;
      const name = userOf(rights(authz));
      for (const right of rights(authz)) node.reviews.rights.add(`${name} ${right}`);
      if (!certificates.has(name)) certificates.set(name, await node.ca.issue(`CN=${name}`));
    }
  }
});
afterAll(async () => {
  await node.server.close();
  runtime.close();
});

const userOf = (rights: readonly string[]): string => `may-${rights.join('-')}`;

const cases = facts.endpoints.flatMap((fact) =>
  (Object.keys(identities) as Who[]).flatMap((who) =>
    // the keys are those of the table above
    (Object.keys(upgrades) as Upgrade[]).map((upgrade) => ({ fact, who, upgrade, ...expected(fact, upgrade, who) })),
  ),
);

describe('every endpoint, for each upgrade and client', () => {
  it("is authorized with the kubelet's attributes", () => {
    for (const fact of facts.endpoints) {
      const asked = accessAttributes({ method: 'GET', path: pathOf(fact) }, { name: 'n1', fineGrained: true });
      expect(asked.map(({ subresource }) => subresource)).toEqual(fact.authz);
    }
    expect(cases).toHaveLength(facts.endpoints.length * 5 * 6);
  });

  it.each(cases)('$fact.path, $upgrade, $who: $status', async ({ fact, upgrade, who, status, asks }) => {
    const rights = identities[who]?.(fact.authz);
    const certificate = rights && certificates.get(userOf(rights));
    const before = { calls: node.calls.length, streams };
    const [method = ''] = methodsOf(fact);
    const { headers } = upgrades[upgrade];
    const connection = headers.length === 0 ? 'Connection: close' : 'Connection: close, Upgrade';
    const bytes = head(`${method} ${pathOf(fact)}?${QUERY}`, [connection, ...headers]);
    const { port } = node.server;
    const answer = await sendRaw(bytes, { port, ...(certificate !== undefined && { certificate }) });
    expect({
      status: readRaw(answer).status,
      asks: node.calls.slice(before.calls).map((call) => call.method),
      streams: streams - before.streams,
    }).toEqual({ status, asks, streams: status === 101 ? 1 : 0 });
  });
});
