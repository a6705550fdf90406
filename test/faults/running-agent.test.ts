import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ThreadFigures } from '../../src/actor/threads/thread-control.ts';
import { hivelet } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, untilAllRunning, untilRunning } from '../support/agent-process/observe-pods.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const until = (what: string, isSo: () => Promise<boolean>): Promise<unknown> =>
  waitUntil(isSo, { what, withinMs: 15_000 });

describe('a running agent, by its admin socket,', () => {
  let node: NodeUnderTest;

  beforeAll(async () => {
    node = await NodeUnderTest.prepare('embedded');
    for (const name of ['one', 'two']) await node.folder.put(`${name}.yaml`, podManifest(name));
    await node.startAgent();
    await untilAllRunning(node.admin, 2, 30_000);
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);
  afterEach(async () => void (await node.admin.clearFaults(undefined)));

  const apply = (plan: object) => node.admin.applyFaults(JSON.stringify(plan));
  const acted = async (): Promise<readonly number[]> =>
    (await node.admin.listFaults()).flatMap(({ rules }) => rules.map((rule) => rule.acted));
  const restartsOf = async (kind: string): Promise<number> =>
    (await node.admin.threads())
      .flatMap(({ kinds }: ThreadFigures) => kinds[kind]?.restarts ?? 0)
      .reduce((sum, restarts) => sum + restarts, 0);

  it('rejects a plan with a problem, and applies nothing', async () => {
    const before = await restartsOf('pod-worker');
    const applied = await apply({
      rules: [
        { match: { actor: 'pod-worker' }, when: { atMs: 0 }, action: 'crash' },
        { match: { actor: 'pod-worker', message: 'relist' }, when: { rate: 1.5 }, action: 'crash' },
        { match: { thread: 'pods-9' }, action: 'exit-thread', often: true },
      ],
    });
    const problems = applied.ok ? [] : applied.problems.map(({ rule, path }) => `${rule} ${path}`);
    expect(problems.toSorted()).toEqual(['2 match.message', '2 when.rate', '3 match.thread', '3 often']);
    expect(await node.admin.listFaults()).toEqual([]);
    expect(await restartsOf('pod-worker')).toBe(before);
  });

  it('crashes the worker of a named pod', async () => {
    const before = await restartsOf('pod-worker');
    const said = await hivelet(node.folder, 'fault', 'kill', 'actor', `pod-worker/default/${onNode('one')}`);
    expect(said).toContain('crashed actor ');
    await until('the worker has been started again', async () => (await restartsOf('pod-worker')) > before);
  });

  it('applies a plan also to a replaced thread, and continues its counts', async () => {
    // The new thread's PLEG must list before anything starts, and cannot.
    await apply({ rules: [{ match: { actor: 'pleg', message: 'listed' }, action: { type: 'hang', forMs: 200 } }] });
    await node.admin.provokeThread('pleg', 'exit');
    const [before = 0] = await acted();
    await until('the new PLEG has been hit', async () => ((await acted())[0] ?? 0) > before);
    await node.folder.put('three.yaml', podManifest('three'));
    await untilRunning(node.admin, 'three', 15_000);
    expect((await node.admin.listFaults())[0]?.actors).toBeGreaterThan(0);
  });

  it('fails calls to the runtime, and its pods still start', async () => {
    await apply({
      rules: [
        { match: { criMethod: 'CreateContainer' }, when: { nth: 1 }, action: { type: 'error', code: 'UNAVAILABLE' } },
        { match: { criMethod: 'RunPodSandbox' }, action: { type: 'delay', delayMs: 300 } },
      ],
    });
    await node.folder.put('four.yaml', podManifest('four'));
    await untilRunning(node.admin, 'four', 30_000);
    expect(await acted()).toEqual([1, 1]);
  });

  it('releases held messages once a plan is cleared', async () => {
    await apply({ rules: [{ match: { criMethod: 'RunPodSandbox' }, action: 'hang' }] });
    await node.folder.put('five.yaml', podManifest('five'));
    await until('the call is held back', async () => (await acted())[0] === 1);
    expect(await node.admin.clearFaults(undefined)).toBe(1);
    await untilRunning(node.admin, 'five', 15_000);
  });

  it('follows the start of a pod from actor to actor', async () => {
    await node.folder.put('six.yaml', podManifest('six'));
    await untilRunning(node.admin, 'six', 15_000);
    const trace = await node.admin.trace('default', onNode('six'));
    const seen = new Set(trace?.steps.map(({ to, message }) => `${to.split('/')[0]} ${message}`));
    for (const step of [
      'pod-worker sync-pod',
      'pleg pod-status',
      'cri-gateway call',
      'status-manager pod-status-changed',
    ])
      expect(seen).toContain(step);
    const instants = trace?.steps.map(({ at }) => at) ?? [];
    expect(instants).toEqual(instants.toSorted((one, other) => one - other));
  });
});
