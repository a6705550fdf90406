import * as fc from 'fast-check';
import { connect as connectPlain, type Socket } from 'node:net';
import { Agent, get } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../../src/actor/clock.ts';
import { facts, METHODS, methodsOf, pathOf } from '../../serving/kubelet-endpoints.ts';
import { serverUnderTest, type ServerUnderTest } from '../../serving/server-under-test.ts';
import { hostileKey, hostileText } from '../hostile-values.ts';
import { defect, HANDLER_MS, pollution, threadMs } from '../oracle.ts';
import { textOf, type Recipe } from '../recipe.ts';
import type { Bench, Problem, Target, Verdict } from '../target.ts';

interface HttpCase {
  readonly tls: boolean;
  readonly identity: keyof typeof rights;
  readonly endpoint: { readonly method: Recipe; readonly path: Recipe };
  readonly query: Recipe;
  readonly version: string;
  readonly headers: readonly (readonly [Recipe, Recipe])[];
  readonly upgrade: string | null;
  readonly body: Recipe;
  /** The number of pieces in which the bytes are sent, a turn of the event loop apart. */
  readonly pieces: number;
  /** The number of repetitions of the request on one connection. */
  readonly times: number;
  readonly ending: 'wait' | 'end' | 'destroy';
}

/** The rights of each client: the subresources of nodes. */
const rights = {
  nobody: [],
  stranger: [],
  checkpointer: ['checkpoint'],
  meter: ['metrics', 'stats', 'pods', 'healthz', 'configz', 'statusz', 'flagz'],
  reader: ['log'],
  administrator: ['*'],
} as const;

/** Calls of the runtime, each with the rights of which a client needs one. */
const neededFor: Readonly<Record<string, readonly string[]>> = {
  Exec: ['*', 'proxy', 'exec'],
  ExecSync: ['*', 'proxy', 'exec'],
  Attach: ['*', 'proxy', 'attach'],
  PortForward: ['*', 'proxy', 'portforward'],
  CheckpointContainer: ['*', 'checkpoint'],
};

const REFUSED_BY_RUNTIME = 'ExecSync is not there\n';

/** The time for the first byte of an answer on a busy machine, and then for further bytes. */
const FIRST_MS = 400;
const WAIT_MS = 40;
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'web', 'u1', 'main', 'x') },
  { weight: 2, arbitrary: hostileText },
);

const path: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...facts.endpoints.map(pathOf)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          '/run',
          '/exec',
          '/attach',
          '/portForward',
          '/checkpoint',
          '/containerLogs',
          '/logs',
          '/debug/pprof',
          '/healthz',
          '',
        ),
        fc.array(segment, { maxLength: 5 }),
      )
      .map(([first, rest]): Recipe => ({ $join: [first, ...rest.flatMap((each): Recipe[] => ['/', each])] })),
  },
  { weight: 1, arbitrary: hostileText },
);

/** An endpoint with one of its methods, or any path with any method. */
const endpoint = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...facts.endpoints.flatMap((fact) =>
        methodsOf(fact).map((each): HttpCase['endpoint'] => ({ method: each, path: pathOf(fact) })),
      ),
    ),
  },
  { weight: 2, arbitrary: fc.record({ method: fc.constantFrom<Recipe>(...METHODS), path }) },
  { weight: 1, arbitrary: fc.record({ method: hostileText, path }) },
);

const parameter = fc.constantFrom(
  'cmd',
  'command',
  'input',
  'output',
  'error',
  'tty',
  'port',
  'tailLines',
  'limitBytes',
  'sinceTime',
  'sinceSeconds',
  'follow',
  'previous',
  'timestamps',
  'timeout',
  'query',
  'seconds',
  'pattern',
  '__proto__',
);
const query: fc.Arbitrary<Recipe> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 4, arbitrary: parameter }, { weight: 1, arbitrary: hostileKey }),
      fc.oneof(fc.constantFrom('1', 'true', '0', '-1', '1?b=2'), hostileText),
    ),
    { maxLength: 3 },
  )
  .map((pairs): Recipe => ({
    $join: pairs.flatMap(([name, value], index): Recipe[] => [index === 0 ? '?' : '&', name, '=', value]),
  }));

const header = fc.tuple(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'Host',
        'Connection',
        'Content-Length',
        'Transfer-Encoding',
        'Expect',
        'X-Stream-Protocol-Version',
        'Sec-WebSocket-Key',
        'Sec-WebSocket-Protocol',
        'Authorization',
        'Accept',
        'Range',
        '__proto__',
      ),
    },
    { weight: 1, arbitrary: hostileKey },
  ),
  fc.oneof(
    fc.constantFrom(
      'chunked',
      '0',
      '5',
      '-1',
      'close',
      'upgrade',
      '100-continue',
      'v4.channel.k8s.io',
      'Bearer x',
      'base64url.bearer.authorization.k8s.io.eA',
    ),
    hostileText,
  ),
);

export const httpRequests: Target<HttpCase> = {
  name: 'http-requests',
  allowedMs: HANDLER_MS,
  cases: fc.record({
    tls: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    identity: fc.constantFrom(...(Object.keys(rights) as (keyof typeof rights)[])),
    endpoint,
    query,
    version: fc.oneof(
      { weight: 9, arbitrary: fc.constant('HTTP/1.1') },
      { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '', 'RTSP/1.0') },
    ),
    headers: fc.array(header, { maxLength: 3 }),
    // oxlint-disable-next-line unicorn/no-null -- a case is JSON
    upgrade: fc.option(fc.constantFrom('SPDY/3.1', 'websocket', 'h2c', 'TLS/1.0', '__proto__'), { freq: 2, nil: null }),
    body: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: hostileText }),
    pieces: fc.oneof(
      { weight: 5, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 20 }) },
    ),
    times: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 5 }) }),
    ending: fc.constantFrom('wait' as const, 'end' as const, 'destroy' as const),
  }),
  open,
};

async function open(): Promise<Bench<HttpCase>> {
  // Nothing listens at the address of the runtime's streams.
  const streamUrl = 'http://127.0.0.1:1/stream';
  const servers = {
    plain: await serverUnderTest({ plain: true, streamUrl }),
    tls: await serverUnderTest({ streamUrl }),
  };
  for (const { reviews, failing } of Object.values(servers)) {
    // The runtime of this node is absent, but calls to it are recorded.
    failing.add('ExecSync');
    for (const [user, may] of Object.entries(rights)) {
      if (user !== 'nobody') reviews.tokens.set(user, { username: user, groups: [] });
      for (const right of may) reviews.rights.add(`${user} ${right}`);
    }
  }
  const agent = new Agent({ keepAlive: true });
  const thrown: unknown[] = [];
  const note = (reason: unknown): void => void thrown.push(reason);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  return {
    async run(given) {
      const node = given.tls ? servers.tls : servers.plain;
      node.calls.length = 0;
      node.warnings.length = 0;
      const answer = await exchange(node, given);
      const healthy = await isHealthy(servers.plain, agent);
      const problems = [
        ...thrown.splice(0).map((reason) => defect(reason, 'uncaught')),
        ...(healthy
          ? []
          : [{ kind: 'others-touched', where: 'an ordinary client', detail: 'GET /healthz is not 200' } as const]),
        ...problemsOf(given, { node, text: answer.text }),
        ...pollution(),
      ];
      const outcome = `${given.identity} ${answer.text.slice(0, 12)}`;
      return { outcome, problems, slowestMs: answer.slowestMs, slowest: 'server' } satisfies Verdict;
    },
    async close() {
      process.off('unhandledRejection', note);
      process.off('uncaughtException', note);
      agent.destroy();
      await Promise.all(Object.values(servers).map(({ server }) => server.close()));
    },
  };
}

function requestBytes(given: HttpCase): Buffer {
  const { identity, endpoint, version, headers, upgrade, body } = given;
  const lines = [
    `${textOf(endpoint.method)} ${textOf(endpoint.path)}${textOf(given.query)} ${version}`,
    'Host: node',
    ...(identity === 'nobody' ? [] : [`Authorization: Bearer ${identity}`]),
    upgrade === null ? 'Connection: close' : `Connection: Upgrade\r\nUpgrade: ${upgrade}`,
    ...headers.map(([name, value]) => `${textOf(name)}: ${textOf(value)}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${textOf(body)}`);
}

interface Exchange {
  readonly text: string;
  readonly slowestMs: number;
}

/** Reads one connection, from its first byte until it is closed or silent for a while. */
async function exchange(node: ServerUnderTest, given: HttpCase): Promise<Exchange> {
  const once = requestBytes(given);
  const bytes = Buffer.concat(Array.from({ length: given.times }, () => once));
  const { port } = node.server;
  const socket: Socket = given.tls
    ? connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    : connectPlain({ host: '127.0.0.1', port });
  const seen = { text: '', isClosed: false, heardAt: systemClock.monotonic() };
  socket.on('data', (piece: Buffer) => {
    seen.heardAt = systemClock.monotonic();
    if (seen.text.length < 100_000) seen.text += piece.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => (seen.isClosed = true));
  await new Promise<void>((resolve) => {
    socket.once(given.tls ? 'secureConnect' : 'connect', () => resolve());
    socket.once('close', () => resolve());
  });
  let slowestMs = 0;
  /** Waits a turn of the event loop. Returns its duration, which the server used. */
  const turn = async (): Promise<void> => {
    const begun = threadMs();
    await new Promise((resolve) => void setImmediate(resolve));
    slowestMs = Math.max(slowestMs, threadMs() - begun);
  };
  const size = Math.ceil(bytes.length / given.pieces);
  for (let from = 0; from < bytes.length && !seen.isClosed; from += size) {
    socket.write(bytes.subarray(from, from + size));
    await turn();
  }
  if (given.ending === 'end') socket.end();
  if (given.ending === 'destroy') socket.destroy();
  seen.heardAt = systemClock.monotonic();
  const mayWait = (): boolean =>
    !seen.isClosed && systemClock.monotonic() - seen.heardAt < (seen.text === '' ? FIRST_MS : WAIT_MS);
  while (mayWait()) await turn();
  socket.destroy();
  await turn();
  return { text: seen.text, slowestMs };
}

const isHealthy = ({ server }: ServerUnderTest, agent: Agent): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { authorization: 'Bearer administrator' };
    get({ host: '127.0.0.1', port: server.port, path: '/healthz', headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    }).on('error', () => resolve(false));
  });

function problemsOf(
  given: HttpCase,
  { node, text }: { readonly node: ServerUnderTest; readonly text: string },
): readonly Problem[] {
  const status = /^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? 'none';
  const endpoint = textOf(given.endpoint.path).split('/')[1]?.slice(0, 20) ?? '';
  const problems: Problem[] = [];
  if (text.includes('FST_'))
    problems.push({ kind: 'bad-answer', where: 'names the framework', detail: text.slice(0, 300) });
  // An absent runtime is no error of the server: the kubelet gives the same answer.
  if (status === '500' && !text.endsWith(REFUSED_BY_RUNTIME))
    problems.push({ kind: 'bad-answer', where: `500 of ${endpoint}`, detail: text.slice(0, 300) });
  for (const warning of node.warnings) {
    if (!/cannot (answer a request|open a stream)/.test(warning)) continue;
    problems.push({ kind: 'defect', where: `${warning}: ${endpoint}`, detail: text.slice(0, 300) });
  }
  const may: readonly string[] = rights[given.identity];
  const isStranger = given.identity === 'nobody' || given.identity === 'stranger';
  if (isStranger && status.startsWith('2')) {
    problems.push({
      kind: 'privilege',
      where: `${given.identity} is answered by ${endpoint}`,
      detail: text.slice(0, 300),
    });
  }
  for (const { method, request } of node.calls) {
    const needed = Object.hasOwn(neededFor, method) ? neededFor[method] : undefined;
    if (needed !== undefined && !needed.some((right) => may.includes(right))) {
      const where = `${given.identity} causes ${method} through ${endpoint}`;
      problems.push({ kind: 'privilege', where, detail: JSON.stringify(request) });
    }
    if (method === 'ExecSync') problems.push(...wrongCommand(given, request));
  }
  return problems;
}

/** Checks that the requested command runs, with every character of the query. */
function wrongCommand(given: HttpCase, request: unknown): readonly Problem[] {
  const target = `${textOf(given.endpoint.path)}${textOf(given.query)}`;
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1).split('#')[0]);
  const wanted = (query.get('cmd') ?? '').split(' ').filter((part) => part !== '');
  const { cmd } = request as { readonly cmd?: readonly string[] };
  if (JSON.stringify(cmd) === JSON.stringify(wanted)) return [];
  return [
    {
      kind: 'bad-answer',
      where: 'another command runs',
      detail: `${JSON.stringify(wanted)} became ${JSON.stringify(cmd)}`,
    },
  ];
}
