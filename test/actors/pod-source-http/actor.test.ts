import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PodSourceHttp } from '../../../actors/pod-source-http/actor.ts';
import { fetchManifest } from '../../../actors/pod-source-http/fetch-manifest.ts';
import type { FetchedManifest, PodSourceHttpProtocol } from '../../../actors/pod-source-http/protocol.ts';
import { MOST_PODS, parsePodList, type PodListText } from '../../../src/jobs/parse-pod-list.ts';
import type { PodSourceChange } from '../../../src/pod/source/pod-source-change.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';

const URL_OF_PODS = 'http://pods.test/list';
const manifest = (name: string, image = 'web:1') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image }] },
});
const list = (...items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items });
const given = (body: string): FetchedManifest => ({ ok: true, body });

async function source(first: FetchedManifest, url = URL_OF_PODS) {
  const web = { answer: first, fetches: 0 };
  const test = await actorUnderTest<PodSourceHttpProtocol>({
    address: 'pod-source-http',
    others: {
      'pod-manager': () => undefined,
      'job-pool': (question) => ({
        ok: true,
        value: parsePodList((question as { list: PodListText } & typeof question).list),
      }),
    },
    make: (context) =>
      new PodSourceHttp(context, {
        url,
        nodeName: 'node-1',
        pollEveryMs: 20_000,
        fetch: () => {
          web.fetches += 1;
          return Promise.resolve(web.answer);
        },
      }),
  });
  /** The reports without heartbeats. */
  const told = () =>
    (test.take('pod-manager') as readonly PodSourceChange[]).filter(
      ({ number, set, gone }) => number === 1 || set.length + gone.length > 0,
    );
  const next = async (answer: FetchedManifest) => {
    web.answer = answer;
    await test.pass(20_000);
    return told();
  };
  return { ...test, web, told, next };
}

const names = (changes: readonly PodSourceChange[]): readonly string[] =>
  changes.flatMap(({ set }) => set.map(({ metadata }) => metadata.name));

describe('the HTTP source', () => {
  it.each([
    { rule: 'one pod', body: JSON.stringify(manifest('a')), are: ['a-node-1'] },
    { rule: 'a list', body: list(manifest('a'), manifest('b')), are: ['a-node-1', 'b-node-1'] },
    {
      rule: 'YAML',
      body: 'kind: List\nitems:\n- metadata: {name: c}\n  spec: {containers: [{name: m, image: i}]}',
      are: ['c-node-1'],
    },
  ])('reads $rule as static pods of this node', async ({ body, are }) => {
    const { told } = await source(given(body));
    const changes = told();
    expect(names(changes)).toEqual(are);
    expect(changes[0]).toMatchObject({ source: 'http', number: 1, complete: true });
    expect(changes[0]?.set[0]?.metadata.annotations).toMatchObject({ 'kubernetes.io/config.source': 'http' });
    // Only pods from files tolerate everything.
    expect(changes[0]?.set[0]?.spec.tolerations ?? []).toEqual([]);
  });

  it('reports only changes, and a changed manifest as another pod', async () => {
    const { told, next } = await source(given(list(manifest('a'), manifest('b'))));
    const [first] = told();
    const [change] = await next(given(list(manifest('a', 'web:2'), manifest('b'))));
    expect(names(change === undefined ? [] : [change])).toEqual(['a-node-1']);
    expect(change?.gone).toEqual([first?.set[0]?.metadata.uid]);
  });

  it.each<{ rule: string; answer: FetchedManifest }>([
    { rule: 'there is no answer', answer: { ok: false, problem: 'no route' } },
    { rule: 'the answer is no pod', answer: given('{') },
    { rule: 'one of the pods is invalid', answer: given(list(manifest('a'), manifest('NOT A NAME'))) },
    { rule: 'the answer is the same', answer: given(list(manifest('a'))) },
  ])('reports nothing when $rule', async ({ answer }) => {
    const { told, next } = await source(given(list(manifest('a'))));
    told();
    expect(await next(answer)).toEqual([]);
  });

  it('reports a lasting problem once', async () => {
    const { next, logged } = await source({ ok: false, problem: 'no route' });
    await next({ ok: false, problem: 'no route' });
    await next({ ok: false, problem: 'no route' });
    expect(logged.filter((line) => line.startsWith('error'))).toHaveLength(1);
  });

  it('treats an empty answer as no pods, as the kubelet does', async () => {
    const { told, next } = await source(given(list(manifest('a'))));
    told();
    expect(await next(given(''))).toMatchObject([{ set: [], gone: [expect.any(String)], complete: true }]);
  });

  it('is not complete before the first good answer', async () => {
    const { told, tell } = await source({ ok: false, problem: 'no route' });
    await tell({ type: 'send-all' });
    expect(told()).toEqual([]);
  });

  it('starts a session with all known pods when the pod manager restarts', async () => {
    const { told, tell } = await source(given(list(manifest('a'))));
    const [before] = told();
    await tell({ type: 'send-all' });
    const [again] = told();
    expect(again).toMatchObject({ number: 1, complete: true, set: before?.set });
  });

  it('sends a heartbeat, so that a lost message is noticed', async () => {
    const { take, pass } = await source(given(list(manifest('a'))));
    take('pod-manager');
    await pass(5_000);
    expect(take('pod-manager')).toMatchObject([{ number: 2, set: [], gone: [], complete: true }]);
  });

  it('makes no request without a URL', async () => {
    const { web, pass } = await source(given(''), '');
    await pass(100_000);
    expect(web.fetches).toBe(0);
  });
});

describe('an answer with more pods than there may be', () => {
  const many = (count: number): string =>
    list(
      ...Array.from({ length: count }, (_, index) => ({ metadata: { name: `p${index}` }, spec: manifest('a').spec })),
    );

  it('is refused with its URL and the limit, and the pods read before stay', async () => {
    const { told, next, tell, logged } = await source(given(list(manifest('a'))));
    told();
    const body = many(MOST_PODS + 1);
    expect(parsePodList({ url: URL_OF_PODS, nodeName: 'n', body })).toEqual({
      ok: false,
      problem: `${URL_OF_PODS} returned 5001 pods, more than the limit of 5000`,
    });
    expect(await next(given(body))).toEqual([]);
    expect(logged).toEqual(['error: cannot read static pods from their URL; keeping the 1 pods read before']);
    await tell({ type: 'send-all' });
    expect(names(told())).toEqual(['a-node-1']);
  });

  it('is refused before any of them is looked at', () => {
    const items = Array.from({ length: MOST_PODS + 1 }, () => null);
    const parsed = parsePodList({ url: URL_OF_PODS, nodeName: 'n', body: JSON.stringify({ kind: 'List', items }) });
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining('more than the limit of 5000') });
  });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await settled();
}

describe('fetching manifests', () => {
  async function fetched(
    answer: RequestListener,
    headers: Record<string, readonly string[]> = {},
    clock = manualClock(),
  ) {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/pods`;
    const outcome = await fetchManifest(url, headers, clock)();
    server.closeAllConnections();
    server.close();
    expect(clock.armed).toBe(0);
    return outcome.ok ? outcome : { ...outcome, problem: outcome.problem.replaceAll(url, 'URL') };
  }

  it('sends the headers that were configured', async () => {
    const outcome = await fetched((request, response) => response.end(request.headers['x-team']), {
      'X-Team': ['a', 'b'],
    });
    expect(outcome).toEqual({ ok: true, body: 'a, b' });
  });

  it('reports the problem of an answer other than 200', async () => {
    const outcome = await fetched((_request, response) => response.writeHead(404).end());
    expect(outcome).toMatchObject({ ok: false, problem: expect.stringContaining('answered 404') });
  });

  it('does not read more than 10 MiB', async () => {
    const outcome = await fetched((_request, response) => response.end(Buffer.alloc(10 * 1024 * 1024 + 1)));
    expect(outcome).toMatchObject({ ok: false, problem: expect.stringContaining('10 MiB') });
  });

  it('reads 10 MiB', async () => {
    const outcome = await fetched((_request, response) => response.end(Buffer.alloc(10 * 1024 * 1024, 'x')));
    expect(outcome.ok && outcome.body.length).toBe(10 * 1024 * 1024);
  });

  it.each<{ what: string; answer: (response: ServerResponse) => void }>([
    {
      what: 'a body without a length and without an end',
      answer: (response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) continue;
        };
        response.on('drain', more);
        more();
      },
    },
    {
      what: 'a short body that unpacks to a long one',
      answer: (response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(11 * 1024 * 1024))),
    },
  ])('reads no more than 10 MiB of $what', async ({ answer }) => {
    const outcome = await fetched((_request, response) => answer(response));
    expect(outcome).toEqual({ ok: false, problem: 'URL returned more than the limit of 10485760 bytes (10 MiB)' });
  });

  it.each<{ what: string; answer: (response: ServerResponse) => void }>([
    { what: 'never answers', answer: () => {} },
    { what: 'never ends its headers', answer: (response) => response.socket?.write('HTTP/1.1 200 OK\r\nX: ') },
    { what: 'never ends its body', answer: (response) => response.writeHead(200).write('kind: ') },
  ])('waits no longer than 10 s for a server that $what', async ({ answer }) => {
    const clock = manualClock();
    const outcome = await fetched(
      (_request, response) => {
        answer(response);
        // The client reads all available bytes.
        void turns(20).then(() => clock.advance(10_000));
      },
      {},
      clock,
    );
    expect(outcome).toEqual({ ok: false, problem: 'URL took longer than the limit of 10 s' });
  });
});
