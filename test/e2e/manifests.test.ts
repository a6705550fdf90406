import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pod } from '../../src/kube/pod.ts';
import { hivelet } from '../support/agent-process/agent-process.ts';
import { NOTHING, thingsOfPods } from '../support/agent-process/leftovers-of-pods.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { containerStatusOf, onNode, untilGone, untilPod, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { isOfPod, listRuntime, runningContainers, watchForDoubles } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

describeOnRuntimes('a manifest in the static pod folder', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  const uids = new Set<string>();

  beforeAll(async () => {
    // The results must not depend on the number of threads.
    node = await NodeUnderTest.start(kind, { profile: kind === 'embedded' ? 'compact' : 'standard' });
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  /** The view of an operator. */
  const listed = async (): Promise<readonly Pod[]> => {
    const document = await hivelet(node.folder, 'get', 'pods', '-A', '-o', 'json');
    return (JSON.parse(document) as { items: readonly Pod[] }).items;
  };
  const path = (file: string): string => join(node.folder.manifests, file);
  const running = async (name: string): Promise<Pod> => {
    const pod = await untilRunning(node.admin, name);
    uids.add(pod.metadata.uid);
    return pod;
  };
  const idOf = (pod: Pod, container = 'app'): string | undefined => containerStatusOf(pod, container).containerID;
  /** Another generation of the pod runs. */
  const replaced = async (name: string, before: Pod): Promise<Pod> => {
    await untilPod(node.admin, name, {
      condition: ({ metadata }) => metadata.uid !== before.metadata.uid,
      what: 'is another pod',
    });
    return running(name);
  };
  const complaints = async (file: string): Promise<readonly LogLine[]> =>
    (await node.folder.log()).filter((line) => line['file'] === path(file));
  const untilComplained = (file: string): Promise<LogLine> =>
    waitUntil(async () => (await complaints(file)).at(-1), { what: `a word about ${file}`, withinMs: 10_000 });

  it('that is added becomes a running pod', async () => {
    await node.folder.put(
      'web.yaml',
      podManifest('web', { containers: ['app', 'slow'], initContainers: ['prepares'] }),
    );
    await running('web');
    const pods = await listed();
    expect(pods.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([[onNode('web'), 'Running']]);
    expect(Object.keys(await runningContainers(node.runtime.cri)).sort()).toEqual(
      ['app', 'slow'].map((name) => `${onNode('web')}/${name}`),
    );
  });

  it('that is edited becomes another pod, which starts when nothing of the old pod is left', async () => {
    const before = await running('web');
    const watch = watchForDoubles(node.runtime.cri);
    const edited = podManifest('web', { containers: ['app', 'slow'], env: { EDITION: '2' } });
    await node.folder.put('web.yaml', edited);
    const after = await replaced('web', before);
    const { looks, breaches } = await watch.end();
    expect(breaches).toEqual([]);
    expect(looks).toBeGreaterThan(5);
    expect(await listed()).toMatchObject([
      { metadata: { uid: after.metadata.uid }, spec: { containers: [{ env: [{ value: '2' }] }, {}] } },
    ]);
    const { sandboxes, containers } = await listRuntime(node.runtime.cri);
    const ofPods = [...sandboxes, ...containers].map(({ labels }) => labels['io.kubernetes.pod.uid']);
    expect(new Set(ofPods)).toEqual(new Set([after.metadata.uid]));
  });

  it('that is edited again while it is being replaced ends as the last edition', async () => {
    const before = await running('web');
    const watch = watchForDoubles(node.runtime.cri);
    for (const edition of ['3', '4', '5']) {
      await node.folder.put('web.yaml', podManifest('web', { containers: ['slow'], env: { EDITION: edition } }));
      await untilPod(node.admin, 'web', { condition: () => true, what: 'is known' });
    }
    await replaced('web', before);
    const isLast = ({ spec }: Pod): boolean => spec.containers[0]?.env?.[0]?.value === '5';
    await untilPod(node.admin, 'web', { condition: isLast, what: 'is the last edition' });
    await running('web');
    expect((await watch.end()).breaches).toEqual([]);
    expect((await listRuntime(node.runtime.cri)).sandboxes).toHaveLength(1);
  });

  it('that gets another file name becomes another pod of the same name, and never two at once', async () => {
    const before = await running('web');
    const watch = watchForDoubles(node.runtime.cri);
    await rename(path('web.yaml'), path('renamed.yaml'));
    await replaced('web', before);
    expect((await watch.end()).breaches).toEqual([]);
    expect(await listed()).toHaveLength(1);
    expect(Object.keys(await runningContainers(node.runtime.cri))).toEqual([`${onNode('web')}/slow`]);
  });

  it('with a new pod name removes the old pod and adds the new one', async () => {
    await node.folder.put('renamed.yaml', podManifest('shop'));
    await running('shop');
    await untilGone(node.admin, 'web');
    expect((await listed()).map(({ metadata }) => metadata.name)).toEqual([onNode('shop')]);
    expect(Object.keys(await runningContainers(node.runtime.cri))).toEqual([`${onNode('shop')}/app`]);
  });

  it('that is broken is reported once with its name and the place, and its pod keeps running', async () => {
    const before = await running('shop');
    await node.folder.put('renamed.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: [shop\n');
    const complaint = await untilComplained('renamed.yaml');
    expect(complaint.level).toBe('error');
    // Line and column, as editors take them.
    expect(complaint.msg).toMatch(/renamed\.yaml:\d+:\d+: /);
    expect(idOf(await running('shop'))).toBe(idOf(before));
    await waitForPolls();
    expect(await complaints('renamed.yaml')).toHaveLength(1);
  });

  it('that is repaired continues with the same container', async () => {
    const before = await running('shop');
    await node.folder.put('renamed.yaml', podManifest('shop'));
    // Another pod, to know that the folder was read after that.
    await node.folder.put('witness.yaml', podManifest('witness'));
    await running('witness');
    await node.folder.remove('witness.yaml');
    await untilGone(node.admin, 'witness');
    expect(idOf(await running('shop'))).toBe(idOf(before));
  });

  it('with a field that does not exist or a value of the wrong type is reported with the path of the field', async () => {
    const wrong = podManifest('wrong', { spec: { terminationGracePeriodSeconds: 'soon' } });
    await node.folder.put('wrong.yaml', wrong);
    expect((await untilComplained('wrong.yaml')).msg).toContain('spec.terminationGracePeriodSeconds');
    expect((await listed()).map(({ metadata }) => metadata.name)).toEqual([onNode('shop')]);
    await node.folder.put('wrong.yaml', podManifest('wrong'));
    await running('wrong');
    await node.folder.remove('wrong.yaml');
    await untilGone(node.admin, 'wrong');
  });

  it('that is half written keeps its pod', async () => {
    const before = await running('shop');
    const text = JSON.stringify(podManifest('shop', { env: { EDITION: '6' } }));
    await writeFile(path('renamed.yaml'), text.slice(0, text.length / 2));
    await waitUntil(async () => (await complaints('renamed.yaml')).length > 1, {
      what: 'a word about the half-written file',
      withinMs: 10_000,
    });
    expect(idOf(await running('shop'))).toBe(idOf(before));
    expect(await listed()).toHaveLength(1);
    await appendFile(path('renamed.yaml'), text.slice(text.length / 2));
    expect(idOf(await replaced('shop', before))).not.toBe(idOf(before));
  });

  it('of a pod that another file defines is reported, and takes over when that file is removed', async () => {
    const before = await running('shop');
    await node.folder.put('second.yaml', podManifest('shop', { env: { FILE: 'second' } }));
    expect((await untilComplained('second.yaml')).msg).toContain(path('renamed.yaml'));
    expect(idOf(await running('shop'))).toBe(idOf(before));
    const watch = watchForDoubles(node.runtime.cri);
    await node.folder.remove('renamed.yaml');
    const after = await replaced('shop', before);
    expect(after.spec.containers[0]?.env?.[0]?.name).toBe('FILE');
    expect((await watch.end()).breaches).toEqual([]);
  });

  it('whose name begins with a dot is ignored', async () => {
    await writeFile(path('.hidden.yaml'), JSON.stringify(podManifest('hidden')));
    await waitForPolls();
    expect((await listed()).map(({ metadata }) => metadata.name)).toEqual([onNode('shop')]);
    expect(await complaints('.hidden.yaml')).toEqual([]);
  });

  it('that is removed leaves nothing of its pods', async () => {
    const { sandboxes } = await listRuntime(node.runtime.cri);
    expect(sandboxes.filter(isOfPod(onNode('shop')))).toHaveLength(1);
    await node.folder.remove('second.yaml');
    await untilGone(node.admin, 'shop');
    expect(await listed()).toEqual([]);
    expect(uids.size).toBeGreaterThan(5);
    expect(await thingsOfPods(node, [...uids])).toEqual(NOTHING);
  });

  it('never crashed an actor', async () => {
    expect((await node.folder.log()).filter(({ msg }) => msg === 'crashed')).toEqual([]);
  });

  /** Waits until the folder was polled, which finds files without a notice. */
  async function waitForPolls(): Promise<void> {
    const handledByNow = async (): Promise<number> =>
      (await node.admin.threads()).reduce((sum, { actors }) => sum + (actors['pod-source-file']?.handled ?? 0), 0);
    const handled = await handledByNow();
    // A poll is three messages: the timer, the listing, the parsed files.
    const polled = async (): Promise<boolean> => (await handledByNow()) >= handled + 4;
    await waitUntil(polled, { what: 'the folder is polled', withinMs: 10_000 });
  }
});
