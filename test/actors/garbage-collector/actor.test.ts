import { describe, expect, it } from 'vitest';
import { ContainerState, type ListContainersResponse } from '../../../src/cri/gen/api.ts';
import { criFault } from '../../support/fake-cri-client.ts';
import { collector, listed, listedImage, listedSandbox } from './collector-support.ts';

const { CONTAINER_RUNNING, CONTAINER_UNKNOWN } = ContainerState;
const FIRST_MS = { images: 10_000, directories: 15_000, containers: 20_000 };

describe('dead containers', () => {
  it('are removed once a minute, in the background, all but the newest of each container', async () => {
    const test = await collector({
      holds: { containers: [listed('a.main.0'), listed('a.main.1'), listed('a.main.2', CONTAINER_RUNNING)] },
      pods: { a: 'living' },
    });
    await test.pass(FIRST_MS.containers);
    expect(test.removedContainers()).toEqual(['a.main.0']);
    expect(test.runtime.of('RemoveContainer')[0]?.options).toEqual({ lane: 'background', podUid: 'a' });
    test.holds.containers.push(listed('a.main.3'));
    await test.pass(60_000);
    expect(test.removedContainers()).toEqual(['a.main.0', 'a.main.1']);
  });

  it('are all removed, with sandboxes and logs, when their pod is unknown', async () => {
    const test = await collector({
      holds: { containers: [listed('a.main.0')], sandboxes: [listedSandbox('a.s')] },
    });
    test.write('pods-logs/shop_pod-a_a/main/0.log');
    await test.pass(FIRST_MS.containers);
    expect(test.removedContainers()).toEqual(['a.main.0']);
    expect(test.runtime.methods.slice(-2)).toEqual(['StopPodSandbox', 'RemovePodSandbox']);
    expect(test.names('pods-logs')).toEqual([]);
  });

  it('count as orphaned only when all pods are known', async () => {
    const test = await collector({ holds: { containers: [listed('a.main.0')] }, knowsAll: false });
    test.write('pods-logs/shop_pod-b_b/main/0.log');
    await test.pass(FIRST_MS.containers);
    expect(test.removedContainers()).toEqual([]);
    expect(test.names('pods-logs')).toEqual(['shop_pod-b_b']);
  });

  it('are stopped first if their state is unknown', async () => {
    const test = await collector({ holds: { containers: [listed('a.main.0', CONTAINER_UNKNOWN)] } });
    await test.pass(FIRST_MS.containers);
    expect(test.runtime.methods.slice(-2)).toEqual(['StopContainer', 'RemoveContainer']);
  });

  it('of ended pods are removed with their logs when the node is short of disk', async () => {
    const test = await collector({
      holds: { containers: [listed('a.main.3'), listed('b.main.0')] },
      pods: { a: 'ended', b: 'living' },
    });
    test.write('pods-logs/shop_pod-a_a/main/3.log');
    test.write('pods-logs/shop_pod-a_a/main/3.log.20260101-000000.gz');
    test.write('pods-logs/shop_pod-b_b/main/0.log');
    expect(await test.ask({ type: 'delete-unused-containers' })).toEqual({ ok: true });
    expect(test.removedContainers()).toEqual(['a.main.3']);
    expect(test.names('pods-logs/shop_pod-a_a/main')).toEqual([]);
    expect(test.names('pods-logs/shop_pod-b_b/main')).toEqual(['0.log']);
  });

  it('that cannot be removed do not hold up the others, and are logged once', async () => {
    const test = await collector({ holds: { containers: [listed('a.main.0'), listed('b.main.0')] } });
    test.runtime.script.RemoveContainer = ({ request }) =>
      request.containerId === 'a.main.0' ? criFault('INTERNAL', 'it is stuck') : undefined;
    await test.pass(FIRST_MS.containers);
    expect(test.removedContainers()).toEqual(['a.main.0', 'b.main.0']);
    const message = 'removing container a.main.0: rpc error: code = Internal desc = it is stuck';
    expect(test.events).toEqual([`ContainerGCFailed: ${message}`]);
    await test.pass(60_000);
    expect(test.logged).toEqual([
      `warn: cannot remove dead containers since 10s: ${message}; they stay on the disk; retrying`,
    ]);
  });

  it('wait while the runtime does not answer', async () => {
    const test = await collector({ holds: { containers: [listed('a.main.0')] } });
    const usual = test.runtime.script.ListContainers;
    test.runtime.script.ListContainers = () => criFault('UNAVAILABLE', 'it is down');
    await test.pass(FIRST_MS.containers);
    expect(test.removedContainers()).toEqual([]);
    test.runtime.script = { ...test.runtime.script, ...(usual === undefined ? {} : { ListContainers: usual }) };
    await test.pass(60_000);
    expect(test.removedContainers()).toEqual(['a.main.0']);
  });

  it('are removed by one pass at a time, also for several requests', async () => {
    const test = await collector({ holds: { containers: [listed('a.main.0')] } });
    const { promise, resolve } = Promise.withResolvers<void>();
    const usual = test.runtime.script.ListContainers;
    test.runtime.script.ListContainers = async (call, times) => {
      await promise;
      return (await usual?.(call, times)) as { ok: true; value: ListContainersResponse };
    };
    const both = [test.ask({ type: 'delete-unused-containers' }), test.ask({ type: 'delete-unused-containers' })];
    await test.quiet();
    expect(test.runtime.of('ListContainers')).toHaveLength(1);
    resolve();
    expect(await Promise.all(both)).toEqual([{ ok: true }, { ok: true }]);
    expect(test.removedContainers()).toEqual(['a.main.0']);
  });
});

describe('logs', () => {
  it('of instances without a record are removed, and links to missing logs', async () => {
    const test = await collector({
      holds: { containers: [listed('a.main.2', CONTAINER_RUNNING), listed('a.main.1')] },
      pods: { a: 'living' },
    });
    for (const count of [0, 1, 2]) test.write(`pods-logs/shop_pod-a_a/main/${count}.log`);
    test.link('links/pod-a_shop_main-0abc.log', 'pods-logs/shop_pod-a_a/main/0.log');
    test.link('links/pod-a_shop_main-2abc.log', 'pods-logs/shop_pod-a_a/main/2.log');
    test.link('links/other', 'nothing');
    await test.pass(FIRST_MS.containers);
    expect(test.names('pods-logs/shop_pod-a_a/main')).toEqual(['1.log', '2.log']);
    expect(test.names('links')).toEqual(['other', 'pod-a_shop_main-2abc.log']);
  });

  it('that are missing during a rotation keep their link', async () => {
    const running = { ...listed('a.main.0', CONTAINER_RUNNING), id: '0abc' };
    const test = await collector({ holds: { containers: [running] }, pods: { a: 'living' } });
    test.link('links/pod-a_shop_main-0abc.log', 'pods-logs/shop_pod-a_a/main/0.log');
    await test.pass(FIRST_MS.containers);
    expect(test.names('links')).toEqual(['pod-a_shop_main-0abc.log']);
  });

  it('that no kubelet has made stay', async () => {
    const test = await collector({});
    test.write('pods-logs/somebody/0.log');
    await test.pass(FIRST_MS.containers);
    expect(test.names('pods-logs')).toEqual(['somebody']);
  });
});

describe('images', () => {
  const full = { capacityBytes: 1_000, availableBytes: 50 };
  const images = [
    listedImage('one'),
    listedImage('pinned', { pinned: true }),
    listedImage('sha256:used'),
    listedImage('two'),
  ];
  const containers = [listed('a.main.0')];

  it('that are unused are removed until the disk is below the threshold', async () => {
    const test = await collector({ holds: { images, containers }, pods: { a: 'living' }, disk: full });
    await test.pass(FIRST_MS.images);
    expect(test.removedImages()).toEqual(['one', 'two']);
    expect(test.counted).toContain('image space');
    expect(test.events).toEqual([]);
  });

  it('stay while disk usage is low', async () => {
    const test = await collector({ holds: { images, containers }, pods: { a: 'living' } });
    await test.pass(FIRST_MS.images);
    expect(test.removedImages()).toEqual([]);
  });

  it('that are mounted as volumes stay', async () => {
    const imageVolumes = ['registry.local/one:1'];
    const test = await collector({ holds: { images, containers }, pods: { a: 'living' }, imageVolumes });
    expect(await test.ask({ type: 'delete-unused-images' })).toEqual({ ok: true });
    expect(test.removedImages()).toEqual(['two']);
  });

  it('of sandboxes stay, pinned or not', async () => {
    const sandboxImage = 'registry.local/one:1';
    const test = await collector({ holds: { images, containers }, pods: { a: 'living' }, sandboxImage });
    expect(await test.ask({ type: 'delete-unused-images' })).toEqual({ ok: true });
    expect(test.removedImages()).toEqual(['two']);
  });

  it('stay while the image volumes are unknown', async () => {
    const test = await collector({ holds: { images }, knowsAll: false });
    expect(await test.ask({ type: 'delete-unused-images' })).toMatchObject({ ok: false });
    expect(test.removedImages()).toEqual([]);
  });

  it('are removed by age alone, once they are known to be unused for that long', async () => {
    const test = await collector({
      holds: { images, containers },
      pods: { a: 'living' },
      images: { highThresholdPercent: 100, maxAgeMs: 299_000 },
    });
    await test.pass(FIRST_MS.images);
    expect(test.removedImages()).toEqual([]);
    await test.pass(300_000);
    expect(test.removedImages()).toEqual(['one', 'two']);
    expect(test.counted).toContain('image age');
  });

  it('that do not free enough are logged, from the second time on as a failure too', async () => {
    const disk = { capacityBytes: 10_000, availableBytes: 0 };
    const test = await collector({ holds: { images, containers }, pods: { a: 'living' }, disk });
    await test.pass(FIRST_MS.images);
    const message = (found: number) =>
      'Failed to garbage collect required amount of images. Attempted to free 2000 bytes, ' +
      `but only found ${found} bytes eligible to free.`;
    expect(test.events).toEqual([`FreeDiskSpaceFailed: ${message(200)}`]);
    await test.pass(300_000);
    expect(test.events.slice(1)).toEqual([`FreeDiskSpaceFailed: ${message(0)}`, `ImageGCFailed: ${message(0)}`]);
  });

  it('are not collected on a disk that reports no capacity', async () => {
    const test = await collector({ disk: { capacityBytes: 0, availableBytes: 0 } });
    await test.pass(FIRST_MS.images);
    expect(test.events).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  });
});

describe('directories of pods', () => {
  it('are removed when neither the pod manager nor the runtime knows the pod', async () => {
    const test = await collector({
      holds: { containers: [listed('held.main.0')] },
      pods: { wanted: 'living', leaving: 'going' },
    });
    for (const uid of ['wanted', 'leaving', 'held', 'lost']) test.write(`pods/${uid}/etc-hosts`);
    await test.pass(FIRST_MS.directories);
    expect(test.names('pods')).toEqual(['held', 'leaving', 'wanted']);
    expect(test.unmounted).toEqual(['lost']);
    expect(test.cgroups).toEqual(['lost']);
    expect(test.counted).toEqual(['orphans 1/0']);
  });

  it('stay while not all pods are known', async () => {
    const test = await collector({ knowsAll: false });
    test.write('pods/lost/etc-hosts');
    await test.pass(FIRST_MS.directories);
    expect(test.names('pods')).toEqual(['lost']);
    expect(test.unmounted).toEqual([]);
  });

  it('stay while something is mounted there, which is logged once', async () => {
    const test = await collector({ removePodDirectory: () => Promise.resolve('still-mounted') });
    test.write('pods/lost/etc-hosts');
    await test.pass(FIRST_MS.directories);
    await test.pass(60_000);
    const problem = 'orphaned pod "lost" found, but volumes are still mounted';
    expect(test.logged).toEqual([
      `warn: cannot remove directories of pods that are gone since 10s: ${problem}; they stay on the disk; retrying`,
    ]);
    expect(test.counted[0]).toBe('orphans 0/1');
  });
});
