import { describe, expect, it } from 'vitest';
import { removeDead, removePod } from '../../../actors/pod-worker/act/remove-pod.ts';
import { stopsAfter } from '../../../src/pod/sync/stop-order.ts';
import { stopContainers, stopEverything } from '../../../actors/pod-worker/act/stop-pod.ts';
import { containerId, podUid } from '../../../src/kube/ids.ts';
import type { CriFaultCode } from '../../../src/cri/fault.ts';
import { container, exited, pod, record, runtime, sandbox, sidecar } from '../../pod/pods.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { settled } from '../../support/manual-clock.ts';
import { fakeTools } from './effects-support.ts';

const running = runtime({
  sandboxes: [sandbox({ attempt: 1 }), sandbox({ state: 'not-ready' })],
  containers: [record('main'), exited('old', 0), record('lost', 'unknown')],
});

describe('a pod that is stopped', () => {
  it('stops every container that may run first, then every sandbox, ready or not', async () => {
    const { cri, tools } = fakeTools();
    const stopped = await stopEverything(tools, { pod: pod(), runtime: running, graceSeconds: 30 });
    expect(cri.calls.map(({ method, request }) => [method, Object.values(request)[0]])).toEqual([
      ['StopContainer', 'lost-0'],
      ['StopContainer', 'main-0'],
      ['StopPodSandbox', 'sandbox-1'],
      ['StopPodSandbox', 'sandbox-0'],
    ]);
    expect(stopped.failed).toBeUndefined();
    expect(stopped.touched.sandboxes).toEqual(['sandbox-1', 'sandbox-0']);
    expect(stopped.touched.containers.map(([id]) => id)).toEqual(['lost-0', 'main-0']);
  });

  it.each([
    { rule: 'the grace period that was decided for the pod', graceSeconds: 7, seconds: 7 },
    { rule: 'its own grace period when only the sandbox is replaced', graceSeconds: undefined, seconds: 25 },
    { rule: 'never less than 2 s', graceSeconds: 1, seconds: 2 },
  ])('gives each container $rule', async ({ graceSeconds, seconds }) => {
    const { cri, tools } = fakeTools();
    const one = pod({ terminationGracePeriodSeconds: 25, containers: [container('main'), container('lost')] });
    await stopEverything(tools, {
      pod: one,
      runtime: running,
      ...(graceSeconds === undefined ? {} : { graceSeconds }),
    });
    for (const { request, options } of cri.of('StopContainer')) {
      expect(request.timeout).toBe(BigInt(seconds));
      expect(options).toEqual({ podUid: 'uid-1', timeoutMs: 120_000 + seconds * 1000 });
    }
  });

  it('uses the annotations of a container whose definition is unknown', async () => {
    const { cri, tools } = fakeTools();
    const annotations = { 'io.kubernetes.pod.terminationGracePeriod': '11' };
    const holds = runtime({ containers: [record('gone', 'running', { annotations })] });
    await stopEverything(tools, { pod: pod(), runtime: holds });
    expect(cri.requests('StopContainer')[0]?.timeout).toBe(11n);
  });

  it.each<{ code: CriFaultCode; failed: string | undefined }>([
    { code: 'NOT_FOUND', failed: undefined },
    {
      code: 'INTERNAL',
      failed:
        'failed to "KillContainer" for "lost" with KillContainerError: "rpc error: code = Internal desc = it said INTERNAL"',
    },
  ])('handles $code of a container, and still stops the sandboxes', async ({ code, failed }) => {
    const { cri, tools } = fakeTools(new FakeCriClient({ StopContainer: () => code }));
    const stopped = await stopEverything(tools, { pod: pod(), runtime: running, graceSeconds: 30 });
    expect(stopped.failed).toBe(failed);
    expect(cri.requests('StopPodSandbox')).toHaveLength(2);
  });

  it('stops selected containers one after the other, each with its own reason', async () => {
    const { cri, tools, said } = fakeTools();
    const wanted = [
      { id: containerId('main-0'), name: 'main', reason: 'definition-changed', message: 'Container main changed' },
      { id: containerId('not-there'), name: 'x', reason: 'definition-changed', message: 'no' },
    ] as const;
    const stopped = await stopContainers(tools, { pod: pod(), runtime: running, wanted });
    expect(cri.methods).toEqual(['StopContainer']);
    expect(said()).toEqual(['Killing: Container main changed']);
    expect(stopped.touched).toEqual({ sandboxes: [], containers: [['main-0', 'sandbox-0']] });
  });
});

describe('the sidecars of a pod that is stopped', () => {
  const served = pod({
    terminationGracePeriodSeconds: 30,
    initContainers: [container('init'), sidecar('proxy'), sidecar('logs')],
    containers: [container('main')],
  });

  it.each([
    { name: 'main', after: [] },
    { name: 'init', after: [] },
    { name: 'logs', after: ['main'] },
    { name: 'proxy', after: ['main', 'logs'] },
  ])('$name is stopped after $after', ({ name, after }) => {
    expect(stopsAfter(served, name)).toEqual(after);
  });

  const holds = runtime({ containers: [record('proxy'), record('logs'), record('main')] });

  it('wait for the regular containers, and have the rest of the grace period', async () => {
    const ends = new Map<string, () => void>();
    const cri = new FakeCriClient({
      StopContainer: ({ request }) =>
        new Promise((resolve) => ends.set(request.containerId ?? '', () => resolve({ ok: true, value: {} }))),
    });
    const { tools, clock } = fakeTools(cri);
    const stopping = stopEverything(tools, { pod: served, runtime: holds, graceSeconds: 30 });
    await settled();
    expect([...ends.keys()]).toEqual(['main-0']);
    clock.advance(4_500);
    ends.get('main-0')?.();
    await settled();
    expect([...ends.keys()]).toEqual(['main-0', 'logs-0']);
    clock.advance(1_000);
    ends.get('logs-0')?.();
    await settled();
    ends.get('proxy-0')?.();
    await stopping;
    expect(cri.requests('StopContainer').map(({ timeout }) => timeout)).toEqual([30n, 26n, 25n]);
  });

  it('wait no longer than their grace period', async () => {
    const cri = new FakeCriClient({
      StopContainer: ({ request }) => (request.containerId === 'main-0' ? new Promise(() => {}) : undefined),
    });
    const { tools, clock } = fakeTools(cri);
    void stopEverything(tools, { pod: served, runtime: holds, graceSeconds: 10 });
    await clock.advanceAndSettle(10_000);
    expect(cri.requests('StopContainer').map(({ containerId: id, timeout }) => [id, timeout])).toEqual([
      ['main-0', 10n],
      ['logs-0', 2n],
      ['proxy-0', 2n],
    ]);
  });
});

describe('a pod that is removed', () => {
  const ended = runtime({ sandboxes: [sandbox({ state: 'not-ready' })], containers: [exited('main', 0)] });

  it('leaves neither container nor sandbox, cgroup, log or directory', async () => {
    const { cri, tools, files, cgroups } = fakeTools();
    expect(await removePod(tools, { pod: pod(), runtime: ended })).toBeUndefined();
    expect(cri.methods).toEqual(['RemoveContainer', 'RemovePodSandbox']);
    expect(cgroups.done).toEqual(['remove /kubepods/besteffort/poduid-1']);
    expect(files.removed).toEqual(['/var/log/pods/shop_web_uid-1', '/var/lib/kubelet/pods/uid-1']);
  });

  it('removes its files in a separate turn, and its sandbox afterwards', async () => {
    const { cri, tools, files } = fakeTools();
    const turn = Promise.withResolvers<void>();
    const removed = removePod(
      { ...tools, host: { ...tools.host, ownTurn: () => turn.promise } },
      { pod: pod(), runtime: ended },
    );
    await settled();
    expect(files.removed).toEqual([]);
    expect(cri.methods).toEqual(['RemoveContainer']);
    turn.resolve();
    expect(await removed).toBeUndefined();
    expect(files.removed).toHaveLength(2);
    expect(cri.methods).toEqual(['RemoveContainer', 'RemovePodSandbox']);
  });

  it('that only the runtime knows may have a cgroup of any QoS class', async () => {
    const { tools, cgroups } = fakeTools();
    await removePod(tools, { pod: undefined, runtime: ended });
    expect(cgroups.done).toEqual([
      'remove /kubepods/poduid-1',
      'remove /kubepods/burstable/poduid-1',
      'remove /kubepods/besteffort/poduid-1',
    ]);
  });

  it('leaves the shared cgroup where pods have no cgroups of their own', async () => {
    const { tools, cgroups } = fakeTools();
    await removePod({ ...tools, node: { ...tools.node, cgroupsPerQos: false } }, { pod: pod(), runtime: ended });
    expect(cgroups.done).toEqual([]);
  });

  it.each<{ code: CriFaultCode; failed: unknown }>([
    { code: 'NOT_FOUND', failed: undefined },
    { code: 'INTERNAL', failed: 'removing containers failed: it said INTERNAL' },
  ])('handles $code of a container', async ({ code, failed }) => {
    const { tools, files } = fakeTools(new FakeCriClient({ RemoveContainer: () => code }));
    expect(await removePod(tools, { pod: pod(), runtime: ended })).toBe(failed);
    expect(files.removed.length > 0).toBe(failed === undefined);
  });

  it('is retried while a process still runs in its cgroup', async () => {
    const { tools, cgroups } = fakeTools();
    cgroups.busy.add('/kubepods/besteffort/poduid-1');
    const problem = 'cgroup /kubepods/besteffort/poduid-1 is still in use';
    expect(await removePod(tools, { pod: pod(), runtime: ended })).toBe(problem);
  });

  it.each([
    { rule: 'an empty UID', parts: { uid: podUid('') } },
    { rule: 'a UID that leads elsewhere', parts: { uid: podUid('../../etc') } },
    { rule: 'a UID that is the parent', parts: { uid: podUid('..') } },
  ])('has no directory under $rule', async ({ parts }) => {
    const { tools, files, cgroups } = fakeTools();
    await removePod(tools, { pod: undefined, runtime: { ...ended, ...parts } });
    expect([...files.removed, ...cgroups.done]).toEqual([]);
  });

  it.each([
    { rule: 'no name', parts: { name: '' } },
    { rule: 'no namespace', parts: { namespace: '' } },
    { rule: 'a name that leads elsewhere', parts: { name: '/../../../etc' } },
  ])('has no log folder under $rule', async ({ parts }) => {
    const { tools, files } = fakeTools();
    await removePod(tools, { pod: undefined, runtime: { ...ended, ...parts } });
    expect(files.removed).toEqual(['/var/lib/kubelet/pods/uid-1']);
  });

  it('keeps the other containers when single containers are removed', async () => {
    const { cri, tools } = fakeTools();
    await removeDead(tools, { podUid: 'uid-1', containers: [containerId('a'), containerId('b')], sandboxes: [] });
    expect(cri.requests('RemoveContainer')).toEqual([{ containerId: 'a' }, { containerId: 'b' }]);
  });
});
