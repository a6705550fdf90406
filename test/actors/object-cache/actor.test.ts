import { describe, expect, it } from 'vitest';
import type { ApiGatewayCommand } from '../../../actors/api-gateway/protocol.ts';
import { ObjectCache } from '../../../actors/object-cache/actor.ts';
import type { ObjectCacheProtocol, ObjectCacheQuestion } from '../../../actors/object-cache/protocol.ts';
import type { ChangeDetection } from '../../../actors/object-cache/fetch-strategy.ts';
import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const AWAY = { ok: false, fault: { kind: 'unreachable', message: 'the server is away' } } as const;
const NOT_FOUND = { ok: false, fault: { kind: 'refused', code: 404, reason: 'NotFound', message: 'none' } } as const;

async function cache(strategy: ChangeDetection = 'Watch') {
  const api = { calls: [] as ApiRequest[], answer: (): ApiOutcome<unknown> => NOT_FOUND };
  const test = await actorUnderTest<ObjectCacheProtocol>({
    address: 'object-cache',
    others: {
      'api-gateway': (question) => {
        const { request } = question as { request: ApiRequest } & typeof question;
        api.calls.push(request);
        return api.answer();
      },
    },
    make: (context) => new ObjectCache(context, { strategy, count: () => () => {} }),
    startMs: 1_000_000,
  });
  const open = new Map<string, string>();
  const watches = () => {
    for (const command of test.take('api-gateway') as readonly ApiGatewayCommand[]) {
      if (command.type === 'open-watch') open.set(command.watch, command.path);
      else open.delete(command.watch);
    }
    return [...open.keys()];
  };
  /** The server sends its objects on every open watch. */
  const say = async (...objects: readonly object[]) => {
    for (const watch of watches()) {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      await test.tell({
        type: 'watch-events',
        watch,
        events: [
          ...objects.map((object) => ({ type: 'ADDED' as const, object })),
          { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9', annotations } } },
        ],
      });
    }
  };
  const ask = async (question: ObjectCacheQuestion) => {
    const answer = test.ask(question);
    await test.quiet();
    return answer;
  };
  return { ...test, api, open, watches, say, asked: ask };
}

const configMap = (name: string, value: string, more: object = {}) => ({
  metadata: { name, namespace: 'shop', resourceVersion: value },
  data: { key: value },
  ...more,
});
const question = (podUid = 'pod-1', name = 'settings') =>
  ({ type: 'config-map', namespace: 'shop', name, podUid }) as const;
const found = (value: string) => ({ type: 'found', value: { resourceVersion: value, data: { key: value } } });

describe('a config map that is watched', () => {
  it('is answered once the watch has delivered it, and at once from then on', async () => {
    const { ask, say, quiet, open } = await cache();
    const first = ask(question());
    await quiet();
    await say(configMap('settings', '1'));
    expect(await first).toMatchObject(found('1'));
    expect([...open.values()]).toEqual([
      expect.stringContaining('/api/v1/namespaces/shop/configmaps?fieldSelector=metadata.name%3Dsettings&watch=true'),
    ]);
    expect(await ask(question('pod-2'))).toMatchObject(found('1'));
  });

  it('is fetched instead when 200 others are watched, and fetched again after a minute at the earliest', async () => {
    const { ask, say, quiet, watches, api, pass } = await cache();
    const names = Array.from({ length: 250 }, (_, n) => `settings-${n}`);
    api.answer = () => {
      const name = api.calls.at(-1)?.path.split('/').at(-1) ?? '';
      return { ok: true, value: configMap(name, '1') };
    };
    const askAll = async (): Promise<readonly unknown[]> => {
      const answers = names.map((name) => ask(question('pod-1', name)));
      await quiet();
      await say(...names.slice(0, 200).map((name) => configMap(name, '1')));
      return Promise.all(answers);
    };
    expect((await askAll()).map((answer) => (answer as { type: string }).type)).toEqual(names.map(() => 'found'));
    expect(watches()).toHaveLength(200);
    expect(api.calls.map(({ verb }) => verb)).toEqual(names.slice(200).map(() => 'get'));
    await askAll();
    expect(api.calls).toHaveLength(50);
    await pass(61_000);
    await askAll();
    expect(api.calls).toHaveLength(100);
    expect(watches()).toHaveLength(200);
  });

  it('is the latest object from the watch', async () => {
    const { ask, say, quiet, tell, open } = await cache();
    void ask(question());
    await quiet();
    await say(configMap('settings', '1'));
    const [watch = ''] = open.keys();
    await tell({ type: 'watch-events', watch, events: [{ type: 'MODIFIED', object: configMap('settings', '2') }] });
    expect(await ask(question())).toMatchObject(found('2'));
    await tell({ type: 'watch-events', watch, events: [{ type: 'DELETED', object: configMap('settings', '3') }] });
    expect(await ask(question())).toEqual({ type: 'missing' });
  });

  it('is missing when the server does not have it', async () => {
    const { ask, say, quiet } = await cache();
    const answer = ask(question());
    await quiet();
    await say();
    expect(await answer).toEqual({ type: 'missing' });
  });

  it('is unavailable after ten seconds without an answer', async () => {
    const { ask, pass, quiet } = await cache();
    const answer = ask(question());
    await quiet();
    await pass(10_000);
    expect(await answer).toEqual({
      type: 'unavailable',
      message: 'failed to sync configmap cache: timed out waiting for the condition',
    });
  });

  it('is still known in an outage', async () => {
    const { ask, say, quiet, tell, open, pass, api } = await cache();
    void ask(question());
    await quiet();
    await say(configMap('settings', '1'));
    const [watch = ''] = open.keys();
    await tell({ type: 'watch-ended', watch, fault: AWAY.fault });
    api.answer = () => AWAY;
    await pass(60_000);
    expect(await ask(question('pod-9'))).toMatchObject(found('1'));
  });

  it('is read for a new pod while the watch is broken, once for all that ask meanwhile', async () => {
    const { ask, say, quiet, tell, open, api } = await cache();
    void ask(question());
    await quiet();
    await say(configMap('settings', '1'));
    const [watch = ''] = open.keys();
    await tell({ type: 'watch-ended', watch, fault: AWAY.fault });
    api.answer = () => ({ ok: true, value: configMap('settings', '2') });
    const answers = await Promise.all(['pod-2', 'pod-3', 'pod-4'].map((podUid) => ask(question(podUid))));
    expect(answers).toMatchObject([found('2'), found('2'), found('2')]);
    expect(api.calls).toHaveLength(2);
  });

  it.each([
    { server: 'has it', answer: { ok: true, value: configMap('settings', '1') }, expected: found('1') },
    { server: 'does not have it', answer: NOT_FOUND, expected: { type: 'missing' } },
    { server: 'is away', answer: AWAY, expected: { type: 'missing' } },
  ] as const)(
    'is not missing for a new pod before the server was asked, which $server',
    async ({ answer, expected }) => {
      const { ask, say, quiet, api } = await cache();
      const first = ask(question());
      await quiet();
      await say();
      expect(await first).toEqual({ type: 'missing' });
      expect(api.calls).toHaveLength(0);
      api.answer = () => answer;
      expect(await ask(question('pod-2'))).toMatchObject(expected);
    },
  );

  it('is no longer watched when it is immutable', async () => {
    const { ask, say, quiet, watches } = await cache();
    void ask(question());
    await quiet();
    await say(configMap('settings', '1', { immutable: true }));
    await quiet();
    expect(watches()).toEqual([]);
    expect(await ask(question())).toMatchObject(found('1'));
    expect(watches()).toEqual([]);
  });

  describe('that is immutable and was deleted and created again', () => {
    /** The pod `pod-1` uses the first object. The server has the second. */
    async function replaced(server: ApiOutcome<unknown>) {
      const all = await cache();
      void all.ask(question());
      await all.quiet();
      await all.say(configMap('settings', '1', { immutable: true }));
      all.api.answer = () => server;
      return all;
    }
    const second = configMap('settings', '2', { immutable: true });

    it('gives a new pod the new data', async () => {
      const { ask } = await replaced({ ok: true, value: second });
      expect(await ask(question('pod-2'))).toMatchObject(found('2'));
    });

    it('is read once for many new pods', async () => {
      const { ask, api } = await replaced({ ok: true, value: second });
      await Promise.all(Array.from({ length: 50 }, (_, pod) => ask(question(`new-${pod}`))));
      expect(api.calls.length).toBeLessThanOrEqual(2);
    });

    it('leaves the pod that began with the old object alone, until another pod has found the new one', async () => {
      const { ask, api } = await replaced({ ok: true, value: second });
      expect(await ask(question())).toMatchObject(found('1'));
      expect(api.calls).toEqual([]);
    });

    it('is missing for a new pod while the server has none', async () => {
      const { ask } = await replaced(NOT_FOUND);
      expect(await ask(question('pod-2'))).toEqual({ type: 'missing' });
    });

    it('gives a new pod the old data only while the server is away', async () => {
      const { ask, api } = await replaced(AWAY);
      expect(await ask(question('pod-2'))).toMatchObject(found('1'));
      api.answer = () => ({ ok: true, value: second });
      expect(await ask(question('pod-3'))).toMatchObject(found('2'));
    });

    it('is watched again when the new object is not immutable', async () => {
      const { ask, quiet, watches } = await replaced({ ok: true, value: configMap('settings', '2') });
      expect(await ask(question('pod-2'))).toMatchObject(found('2'));
      void ask(question('pod-2'));
      await quiet();
      expect(watches()).toHaveLength(1);
    });

    it('gives nothing of the old object after the last pod that used it, even if the server is away', async () => {
      const { ask, tell, pass, quiet } = await replaced(AWAY);
      await tell({ type: 'forget-pod', podUid: 'pod-1' });
      const answer = ask(question('pod-2'));
      await quiet();
      await pass(10_000);
      expect(await answer).toMatchObject({ type: 'unavailable' });
    });
  });

  it('goes with its last pod', async () => {
    const { ask, say, quiet, tell, watches } = await cache();
    for (const podUid of ['pod-1', 'pod-2']) void ask(question(podUid));
    await quiet();
    await say(configMap('settings', '1'));
    await tell({ type: 'forget-pod', podUid: 'pod-1' });
    await tell({ type: 'forget-pod', podUid: 'pod-1' });
    expect(watches()).toHaveLength(1);
    await tell({ type: 'forget-pod', podUid: 'pod-2' });
    expect(watches()).toEqual([]);
  });

  it('is dropped when it was not requested for five minutes', async () => {
    const { ask, say, quiet, watches, pass } = await cache();
    void ask(question());
    await quiet();
    await say(configMap('settings', '1'));
    await pass(240_000);
    expect(watches()).toHaveLength(1);
    await pass(120_000);
    expect(watches()).toEqual([]);
  });
});

describe('a config map that is fetched', () => {
  it('is fetched again for a new pod, and after a minute', async () => {
    const { ask, api, pass } = await cache('Cache');
    api.answer = () => ({ ok: true, value: configMap('settings', '1') });
    expect(await ask(question())).toMatchObject(found('1'));
    await ask(question());
    expect(api.calls).toHaveLength(1);
    await ask(question('pod-2'));
    expect(api.calls).toHaveLength(2);
    await pass(60_000);
    await ask(question());
    expect(api.calls).toHaveLength(3);
  });

  it('stays known while the server is away', async () => {
    const { ask, api, pass } = await cache('Cache');
    api.answer = () => ({ ok: true, value: configMap('settings', '1') });
    await ask(question());
    api.answer = () => AWAY;
    await pass(61_000);
    expect(await ask(question())).toMatchObject(found('1'));
    expect(await ask(question('pod-1', 'other'))).toEqual({ type: 'unavailable', message: 'the server is away' });
  });

  it('is dropped when the server forbids it', async () => {
    const { ask, api } = await cache('Get');
    api.answer = () => ({ ok: true, value: configMap('settings', '1') });
    await ask(question());
    api.answer = () => ({ ok: false, fault: { kind: 'refused', code: 403, reason: 'Forbidden', message: 'no' } });
    expect(await ask(question())).toEqual({ type: 'unavailable', message: 'no' });
  });
});

describe('services', () => {
  const service = (namespace: string, name: string) => ({
    metadata: { namespace, name, resourceVersion: '1' },
    spec: { clusterIP: '10.0.0.1', ports: [{ port: 80 }] },
  });

  it('are the services of the namespace, and the API server’s own', async () => {
    const { ask, say, quiet } = await cache();
    const answer = ask({ type: 'services-of-namespace', namespace: 'shop' });
    await quiet();
    await say(service('default', 'kubernetes'), service('shop', 'web'), service('other', 'db'));
    const names = (await answer) as { value: readonly { name: string }[] };
    expect(names.value.map(({ name }) => name)).toEqual(['web', 'kubernetes']);
  });

  it.each([
    ['10 s', {}, 10_000],
    ['as long as the question says', { withinMs: 500 }, 500],
  ])('that the server has not answered yet are awaited for %s', async (_text, limit, ms) => {
    const { ask, pass, quiet } = await cache();
    let answer: unknown;
    void ask({ type: 'services-of-namespace', namespace: 'shop', ...limit }).then((value) => (answer = value));
    await quiet();
    await pass(ms - 1);
    expect(answer).toBeUndefined();
    await pass(1);
    expect(answer).toMatchObject({ type: 'unavailable' });
  });

  it('are not fetched on a node without a pod that needs them', async () => {
    const { watches, pass } = await cache();
    await pass(600_000);
    expect(watches()).toEqual([]);
  });
});

describe('a token for a service account', () => {
  const token = {
    type: 'service-account-token',
    namespace: 'shop',
    serviceAccount: 'default',
    audiences: [],
    expirationSeconds: 3_600,
    pod: { name: 'web', uid: 'pod-1' },
  } as const;
  const issued = (text: string, atMs: number) => ({
    ok: true as const,
    value: { status: { token: text, expirationTimestamp: new Date(atMs + 3_600_000).toISOString() } },
  });

  it('is requested once, bound to its pod, and renewed in time', async () => {
    const { ask, api, pass, clock } = await cache();
    api.answer = () => issued(`t${api.calls.length}`, clock.now());
    const both = await Promise.all([ask(token), ask(token)]);
    expect(both).toMatchObject([{ value: { token: 't1' } }, { value: { token: 't1' } }]);
    expect(api.calls[0]).toMatchObject({
      verb: 'create',
      path: '/api/v1/namespaces/shop/serviceaccounts/default/token',
      body: { spec: { expirationSeconds: 3_600, boundObjectRef: { kind: 'Pod', name: 'web', uid: 'pod-1' } } },
    });
    await pass(2_870_000);
    expect(await ask(token)).toMatchObject({ value: { token: 't1' } });
    await pass(20_000);
    expect(await ask(token)).toMatchObject({ value: { token: 't2' } });
  });

  it('goes with its pod', async () => {
    const { ask, api, tell, clock } = await cache();
    api.answer = () => issued(`t${api.calls.length}`, clock.now());
    await ask(token);
    await tell({ type: 'forget-pod', podUid: 'pod-1' });
    expect(await ask(token)).toMatchObject({ value: { token: 't2' } });
  });

  it('stays the old one while it is valid and no new one is available', async () => {
    const { ask, api, pass, clock, logged } = await cache();
    api.answer = () => issued('old', clock.now());
    await ask(token);
    api.answer = () => AWAY;
    await pass(3_000_000);
    expect(await ask(token)).toMatchObject({ value: { token: 'old' } });
    expect(logged.some((line) => line.includes('the previous token is still valid'))).toBe(true);
    await pass(600_001);
    expect(await ask(token)).toEqual({ type: 'unavailable', message: 'failed to fetch token: the server is away' });
  });
});
