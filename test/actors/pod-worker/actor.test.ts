import { describe, expect, it } from 'vitest';
import type { PlegQuestion } from '../../../actors/pleg/protocol.ts';
import { PodWorker } from '../../../actors/pod-worker/actor.ts';
import type { PodWorkerProtocol } from '../../../actors/pod-worker/protocol.ts';
import { terminationFileName } from '../../../src/pod/status/termination-message.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { podCgroupParent } from '../../../src/node/resources/cgroup-path.ts';
import { sandboxId } from '../../../src/kube/ids.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { container, exited, NOW, pod, record, runtime, sandbox, type PodParts } from '../../pod/pods.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { FakeVolumes } from '../../support/fake-volumes.ts';
import { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { FakePodFiles } from '../../support/fake-pod-files.ts';
import { node } from './effects-support.ts';
import { init, settings } from './worker-model.ts';

const TERMINATION = {
  'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
  'io.kubernetes.container.terminationMessagePolicy': 'File',
};

async function worker(
  holds: RuntimePodStatus = runtime({ sandboxes: [] }),
  { cri = new FakeCriClient(), hasCgroup = true }: { readonly cri?: FakeCriClient; readonly hasCgroup?: boolean } = {},
) {
  const cgroups = new MemoryCgroups();
  if (hasCgroup) cgroups.set(podCgroupParent(init.podUid, 'BestEffort', node), {});
  const files = new FakePodFiles();
  const volumes = new FakeVolumes();
  const asked: PlegQuestion[] = [];
  const events: EventToRecord[] = [];
  const seen = { holds, remembered: undefined as PodStatus | undefined };
  let revision = 0;
  const actor = await actorUnderTest<PodWorkerProtocol>({
    address: `pod-worker/${init.podUid}`,
    startMs: NOW,
    make: (context) =>
      new PodWorker(context, {
        init,
        settings,
        recordEvent: (event) => void events.push(event),
        tools: {
          node,
          clock: context.clock,
          runtime: { cri, requestTimeoutMs: 120_000 },
          host: { files, cgroups, legacyLogsDir: undefined },
          volumes,
        },
      }),
    others: {
      pleg: (question) => {
        asked.push(question as PlegQuestion);
        revision += 1;
        return { ok: true, value: { status: seen.holds, observedAt: 1e9 + revision, revision } };
      },
      'pod-manager': () => undefined,
      'status-manager': () => seen.remembered ?? { phase: 'Running' },
    },
  });
  return {
    ...actor,
    files,
    cgroups,
    volumes,
    asked,
    events,
    cri,
    seen,
    published: () =>
      actor.take('status-manager').map((command) => (command as unknown as { readonly status: PodStatus }).status),
    sync: (parts: PodParts = {}) => actor.tell({ type: 'sync-pod', pod: pod(parts) }),
  };
}

const up = runtime({ sandboxes: [sandbox({ id: sandboxId('new-sandbox-1') })], containers: [record('main')] });

describe('a pod worker', () => {
  it('starts its pod and names the touched containers to PLEG', async () => {
    const { sync, seen, cri, asked, published, quiet } = await worker();
    const began = sync();
    seen.holds = runtime({ sandboxes: [] });
    await began;
    await quiet();
    expect(cri.methods.slice(0, 1)).toEqual(['RunPodSandbox']);
    expect(asked.map((question) => ('touched' in question ? question.touched : undefined)).slice(0, 2)).toEqual([
      undefined,
      { sandboxes: ['new-sandbox-1'], containers: [], name: 'web', namespace: 'shop' },
    ]);
    expect(published()[0]?.phase).toBe('Pending');
  });

  it('reports the status of its pod, each status once', async () => {
    const { sync, published, tell, cri } = await worker(up);
    await sync();
    expect(published().map(({ phase }) => phase)).toEqual(['Pending', 'Running']);
    await tell({ type: 'sync-due' });
    expect(published()).toEqual([]);
    expect(cri.calls).toEqual([]);
  });

  it('stops containers that run outside the pod’s cgroup, and starts them again inside', async () => {
    const { sync, seen, cri, cgroups, quiet } = await worker(up, { hasCgroup: false });
    cri.script.StopPodSandbox = () => {
      seen.holds = runtime({
        sandboxes: [sandbox({ id: sandboxId('new-sandbox-1'), state: 'not-ready' })],
        containers: [exited('main', 137)],
      });
      return { ok: true, value: {} };
    };
    await sync();
    await quiet();
    expect(cri.methods.slice(0, 2)).toEqual(['StopContainer', 'StopPodSandbox']);
    expect(cri.methods).toContain('RunPodSandbox');
    expect(cgroups.done).toEqual([`set ${podCgroupParent(init.podUid, 'BestEffort', node)}`]);
  });

  it('shows the termination message of a container', async () => {
    const last = exited('main', 3, { annotations: TERMINATION, message: 'killed' });
    const { sync, published, files } = await worker(runtime({ containers: [last] }));
    files.files.set(`/var/lib/kubelet/pods/uid-1/containers/main/${terminationFileName('uid-1', 'main', 0)}`, {
      text: 'no more cheese',
      mode: 0o666,
    });
    await sync({ restartPolicy: 'Never' });
    expect(published().at(-1)?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      message: 'killed: no more cheese',
    });
  });

  it('stops and removes its pod, reports the end, and stops itself', async () => {
    const { sync, tell, seen, cri, take, files, host, pass } = await worker(up);
    await sync();
    cri.script = {
      StopPodSandbox: () => {
        seen.holds = runtime({ sandboxes: [sandbox({ state: 'not-ready' })], containers: [exited('main', 0)] });
        return undefined;
      },
    };
    await tell({ type: 'terminate-pod', gracePeriodSeconds: 3 });
    await pass(1_000);
    expect(cri.methods).toEqual(['StopContainer', 'StopPodSandbox', 'RemoveContainer', 'RemovePodSandbox']);
    expect(cri.requests('StopContainer')[0]?.timeout).toBe(3n);
    expect(files.removed).toEqual(['/var/log/pods/shop_web_uid-1', '/var/lib/kubelet/pods/uid-1']);
    expect(take('pod-manager')).toMatchObject([{ type: 'pod-terminated', podUid: 'uid-1', removed: true }]);
    expect(host.addresses('pod-worker')).toEqual([]);
  });

  it('asks for its pod and last status after a restart, and touches no running container', async () => {
    const { sync, crash, pass, take, published, seen, cri } = await worker(up);
    await sync();
    seen.remembered = published().at(-1);
    await crash();
    await pass(10_000);
    // The worker repeats its notice until the pod manager sends the pod.
    expect(new Set(take('pod-manager').map(({ type }) => type))).toEqual(new Set(['worker-restarted']));
    await sync();
    expect(published()).toEqual([]);
    expect(cri.calls).toEqual([]);
  });

  const mounts = [{ name: 'data', mountPath: '/data' }];
  const withVolume: PodParts = {
    containers: [container('main', { volumeMounts: mounts })],
    volumes: [{ name: 'data', configMap: { name: 'c' } }],
  };

  it('records each warning once, and logs problems that only an operator can fix', async () => {
    const { sync, tell, volumes, logged } = await worker();
    volumes.mountAnswer = new Promise(() => {});
    await sync(withVolume);
    const message = 'MountVolume.SetUp failed for volume "data" : configmap "c" not found';
    for (let time = 0; time < 3; time += 1) await tell({ type: 'volume-failed', reason: 'FailedMount', message });
    expect(logged).toEqual([`warn: ${message}`]);
  });

  it('requests volumes that failed to mount again, at most every 10 s', async () => {
    const { sync, volumes, pass } = await worker();
    volumes.mountAnswer = { ok: false, message: 'unmounted volumes=[data]' };
    await sync(withVolume);
    for (let round = 0; round < 4; round += 1) await pass(10_000);
    expect(volumes.mounted.length).toBeGreaterThan(2);
    expect(volumes.mounted.length).toBeLessThanOrEqual(5);
  });

  it('sends its pod’s volumes to a restarted volume manager, and after each change', async () => {
    const { sync, tell, volumes } = await worker(up);
    await sync(withVolume);
    expect(volumes.wanted).toEqual([]);
    await tell({ type: 'report-volumes' });
    await sync({ ...withVolume, metadata: { labels: { a: 'b' } } });
    expect(volumes.wanted).toHaveLength(2);
  });

  it('keeps a pod until its volumes are removed', async () => {
    const { sync, tell, volumes, files, pass, seen } = await worker();
    await sync(withVolume);
    volumes.unmountAnswer = { ok: false, message: 'umount: target is busy' };
    seen.holds = runtime({ sandboxes: [] });
    await tell({ type: 'terminate-pod' });
    await pass(5_000);
    expect(volumes.unmounted.length).toBeGreaterThan(1);
    expect(files.removed).toEqual([]);
    volumes.unmountAnswer = { ok: true };
    await pass(5_000);
    expect(files.removed).toContain('/var/lib/kubelet/pods/uid-1');
  });

  it('unmounts the volumes of a pod that has ended by itself, while the pod stays visible', async () => {
    const { sync, volumes, tell, quiet } = await worker(
      runtime({ sandboxes: [sandbox({ state: 'not-ready' })], containers: [exited('main', 0)] }),
    );
    await sync({ ...withVolume, restartPolicy: 'Never' });
    await quiet();
    expect(volumes.unmounted).toEqual(['uid-1']);
    await tell({ type: 'report-volumes' });
    expect(volumes.wanted).toHaveLength(0);
  });
});
