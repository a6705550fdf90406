import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/actor/clock.ts';
import type { Summary } from '../../../../src/stats/summary.ts';
import { manualClock } from '../../../support/manual-clock.ts';
import { servedApi, type ServedApi } from '../served-api.ts';

const GROUP = '/apis/metrics.k8s.io/v1beta1';
const TIME = '2026-01-01T00:00:00.000Z';

const figures = (nanoCores: number | undefined, mib: number) => ({
  cpu: { time: TIME, ...(nanoCores !== undefined && { usageNanoCores: nanoCores }) },
  memory: { time: TIME, workingSetBytes: mib * 1024 * 1024 },
});

const podOf = (name: string, nanoCores: number | undefined) => ({
  podRef: { name, namespace: 'default', uid: name },
  startTime: TIME,
  containers: [{ name: 'main', startTime: TIME, ...figures(nanoCores, 3) }],
  ...figures(nanoCores, 4),
});

const summaryOf = (nodeName: string, pods: Summary['pods']): Summary => ({
  node: { nodeName, startTime: TIME, ...figures(250_000_000, 512) },
  pods,
});

const names = (json: Record<string, unknown>): readonly string[] =>
  (json['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

describe('metrics of nodes and pods', () => {
  // Certificates are checked against the machine's clock.
  const clock = manualClock(systemClock.now());
  const answers = new Map<string, readonly Summary[]>();
  const asked: string[] = [];
  let api: ServedApi;

  beforeAll(async () => {
    api = await servedApi({
      clock,
      askSummary(nodeName) {
        asked.push(nodeName);
        const [first, ...later] = answers.get(nodeName) ?? [];
        if (first === undefined) return Promise.reject(new Error('it does not answer'));
        if (later.length > 0) answers.set(nodeName, later);
        return Promise.resolve(first);
      },
    });
    for (const name of ['n1', 'n2']) {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { zone: `${name}-zone` } } };
      await api.ask('/api/v1/nodes', { method: 'POST', body: node });
    }
    for (const name of ['web', 'db']) {
      const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'app:1' }] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec };
      await api.ask('/api/v1/namespaces/default/pods', { method: 'POST', body: pod });
    }
    answers.set('n1', [summaryOf('n1', [podOf('web', 1_000_000), podOf('db', 2_000_000), podOf('gone', 1)])]);
  });
  afterAll(() => api.close());

  it('appear in discovery', async () => {
    const { json } = await api.ask(GROUP);
    expect(json).toMatchObject({ kind: 'APIResourceList', groupVersion: 'metrics.k8s.io/v1beta1' });
  });

  it('cover the nodes that answer', async () => {
    const { json } = await api.ask(`${GROUP}/nodes`);
    expect(json).toMatchObject({
      kind: 'NodeMetricsList',
      items: [
        {
          metadata: { name: 'n1', labels: { zone: 'n1-zone' } },
          timestamp: TIME,
          usage: { cpu: '250000000n', memory: '524288Ki' },
        },
      ],
    });
  });

  it('cover the pods in the API, container by container', async () => {
    const { json } = await api.ask(`${GROUP}/namespaces/default/pods`);
    expect(names(json)).toEqual(['web', 'db']);
    expect(json).toMatchObject({
      items: [{ containers: [{ name: 'main', usage: { cpu: '1000000n', memory: '3072Ki' } }] }, {}],
    });
  });

  it.each([
    ['by label', `${GROUP}/pods?labelSelector=app%3Ddb`, ['db']],
    ['in another namespace', `${GROUP}/namespaces/other/pods`, []],
    ['of nodes by label', `${GROUP}/nodes?labelSelector=zone%3Dn2-zone`, []],
  ])('can be selected: %s', async (_, path, expected) => {
    expect(names((await api.ask(path)).json)).toEqual(expected);
  });

  it('can be read for a single object; a missing object is not found', async () => {
    expect((await api.ask(`${GROUP}/namespaces/default/pods/web`)).json['kind']).toBe('PodMetrics');
    expect((await api.ask(`${GROUP}/nodes/n1`)).json['kind']).toBe('NodeMetrics');
    expect((await api.ask(`${GROUP}/namespaces/default/pods/gone`)).code).toBe(404);
    expect((await api.ask(`${GROUP}/nodes/n2`)).code).toBe(404);
    expect((await api.ask(`${GROUP}/fruits`)).code).toBe(404);
  });

  it('are absent until the second measurement', async () => {
    answers.set('n1', [summaryOf('n1', [podOf('web', undefined)]), summaryOf('n1', [podOf('web', 7)])]);
    asked.length = 0;
    const answer = api.ask(`${GROUP}/namespaces/default/pods/web`);
    await expect.poll(() => asked.filter((name) => name === 'n1').length).toBe(1);
    await clock.advanceAndSettle(1_000);
    expect((await answer).json).toMatchObject({ containers: [{ usage: { cpu: '7n' } }] });
  });

  it('are not served to anonymous clients', async () => {
    expect((await api.ask(`${GROUP}/nodes`, { token: null })).code).toBe(401);
  });
});
