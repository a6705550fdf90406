import { beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/kube/pod.ts';
import { ClusterNode, NODE } from './node/cluster-node.ts';

const MINUTE = 60_000;
const MIRROR = `web-${NODE}`;
let node: ClusterNode;

beforeEach(async () => {
  node = new ClusterNode();
  await node.begin(1);
  node.changes.length = 0;
});

const mirror = (): Pod | undefined => node.pods().find(({ metadata }) => metadata.name === MIRROR);
const imageOf = (pod: Pod | undefined) => pod?.spec.containers[0]?.image;

async function withStatic(): Promise<Pod> {
  node.writeStatic('web');
  await node.pass(30_000);
  const found = mirror();
  if (found?.status?.phase !== 'Running') throw new Error('the static pod has no mirror that runs');
  return found;
}

describe('the mirror of a static pod, on a whole node', () => {
  it('is created with the pod, owned by the node, and shows its status', async () => {
    const { metadata, spec, status } = await withStatic();
    expect(metadata.annotations).toMatchObject({ 'kubernetes.io/config.source': 'file' });
    expect(metadata.annotations?.['kubernetes.io/config.mirror']).toBe(
      metadata.annotations?.['kubernetes.io/config.hash'],
    );
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: NODE, controller: true }]);
    expect(spec.nodeName).toBe(NODE);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  it('is replaced when its file changes, and shows the new pod', async () => {
    const before = await withStatic();
    node.writeStatic('web', 'registry.example/web:2');
    await node.pass(2 * MINUTE);
    const after = mirror();
    expect(imageOf(after)).toBe('registry.example/web:2');
    expect(after?.metadata.uid).not.toBe(before.metadata.uid);
    expect(after?.status?.containerStatuses?.[0]).toMatchObject({ ready: true, image: 'registry.example/web:2' });
    expect(node.runningContainers()).toBe(2);
  });

  it('is deleted with its file', async () => {
    await withStatic();
    node.removeStatic('web');
    await node.pass(2 * MINUTE);
    expect(mirror()).toBeUndefined();
    expect(node.runningContainers()).toBe(1);
  });

  it('is created again when a client deletes it, and the pod keeps running', async () => {
    const before = await withStatic();
    node.changes.length = 0;
    void node.deletePod(MIRROR);
    await node.pass(MINUTE);
    const after = mirror();
    expect(after?.metadata.uid).not.toBe(before.metadata.uid);
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect(after?.status?.phase).toBe('Running');
    expect(node.changes).toEqual([]);
  });

  it('catches up after an outage of the API server', async () => {
    const before = await withStatic();
    node.api.weather.turn({ type: 'away' });
    await node.pass(MINUTE);
    // One pod is changed and one is added during the outage, and both run.
    node.writeStatic('web', 'registry.example/web:2');
    node.writeStatic('late');
    await node.pass(9 * MINUTE);
    expect(mirror()?.metadata.uid).toBe(before.metadata.uid);
    expect(node.runningContainers()).toBe(3);
    node.changes.length = 0;
    node.api.weather.turn({ type: 'fair' });
    await node.pass(MINUTE);
    expect(imageOf(mirror())).toBe('registry.example/web:2');
    expect(mirror()?.status?.phase).toBe('Running');
    expect(node.readyPods()).toBe(3);
    expect(node.changes).toEqual([]);
  });

  it('is deleted when its file was removed during an outage of the API server', async () => {
    await withStatic();
    node.api.weather.turn({ type: 'away' });
    node.removeStatic('web');
    await node.pass(5 * MINUTE);
    expect(mirror()).toBeDefined();
    expect(node.runningContainers()).toBe(1);
    node.api.weather.turn({ type: 'fair' });
    await node.pass(MINUTE);
    expect(mirror()).toBeUndefined();
  });

  it('is not written when the agent restarts', async () => {
    const before = await withStatic();
    node.changes.length = 0;
    const since = node.time.now;
    node.killAgent();
    await node.pass(2_000);
    node.startAgent();
    await node.pass(2 * MINUTE);
    expect(mirror()?.metadata.uid).toBe(before.metadata.uid);
    expect(node.writes(since)).toEqual([]);
    expect(node.changes).toEqual([]);
    expect(node.problems).toEqual([]);
  });
});
