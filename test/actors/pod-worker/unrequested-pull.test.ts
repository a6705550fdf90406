import { describe, expect, it } from 'vitest';
import { ImageManager } from '../../../actors/image-manager/actor.ts';
import type { ImageManagerProtocol, PullPermission } from '../../../actors/image-manager/protocol.ts';
import type { NodeImages } from '../../../actors/image-manager/client.ts';
import type { PodObjects } from '../../../actors/object-cache/client.ts';
import type { SyncAttempt } from '../../../actors/pod-worker/act/sync-attempt.ts';
import { RecordFiles } from '../../../src/images/record-files.ts';
import { container, pod } from '../../pod/pods.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { MovingPodFiles } from '../../support/moving-pod-files.ts';
import { attemptWith, ensured, fakeTools } from './effects-support.ts';

/** A node whose image is present and was never pulled by it, with its image manager. */
async function nodeOn(disk: MovingPodFiles) {
  const listed = { images: [{ id: 'sha256:1', repoTags: ['registry.test/app:1'], repoDigests: [] }] };
  const cri = new FakeCriClient({ ListImages: () => ({ ok: true, value: listed }) });
  const actor = await actorUnderTest<ImageManagerProtocol>({
    address: 'image-manager',
    make: (context) =>
      new ImageManager(context, {
        cri,
        records: new RecordFiles(disk, '/root'),
        verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
        rate: { perSecond: 0, burst: 1 },
        providers: { providers: [], run: () => Promise.reject(new Error('no provider is asked')) },
        fileLogins: () => [],
      }),
    others: {},
  });
  const images: NodeImages = {
    mayUse: async (image, imageRef, { secrets, pod: asking }) => {
      const question = { type: 'may-use-image', image, imageRef, secrets, ...(asking && { pod: asking }) } as const;
      // The image manager's own answer to this question.
      return ((await actor.ask(question)) as { readonly mayUse: boolean }).mayUse;
    },
    // The image manager's own answer to this question.
    beginPull: async (image, asking, inspected) =>
      (await actor.ask({ type: 'begin-pull', image, pod: asking, ...(inspected && { inspected }) })) as PullPermission,
    endPull: async (image, { uid }, pulled) => {
      await actor.ask({ type: 'end-pull', image, podUid: uid, ...(pulled && { pulled }) });
    },
  };
  return { images };
}

interface Start {
  readonly policy: 'Always' | 'IfNotPresent';
  readonly cri?: FakeCriClient;
  readonly pullSecrets?: PodObjects['pullSecrets'];
  readonly during?: (attempt: SyncAttempt) => void;
}

/** One pod's worker ensures the image of its container. */
async function start(images: NodeImages, { policy, cri = new FakeCriClient(), pullSecrets, during }: Start) {
  const { tools } = fakeTools(cri);
  const one = pod({ ...(pullSecrets !== undefined && { imagePullSecrets: [{ name: 'login' }] }) });
  // The only question that these objects get.
  const objects = { pullSecrets } as PodObjects;
  const attempt: SyncAttempt = attemptWith(
    { ...tools, images: observed(images, () => during?.(attempt)), objects },
    { pod: one },
  );
  const { image, failure } = await ensured(attempt, container('main', { imagePullPolicy: policy }));
  return { image, failure: failure?.reason, pulls: cri.requests('PullImage').length };
}

const observed = (images: NodeImages, begun: () => void): NodeImages => ({
  ...images,
  beginPull: async (...asked) => {
    const leave = await images.beginPull(...asked);
    begun();
    return leave;
  },
});

const crash = (): never => {
  throw new Error('the worker crashed');
};

describe('a pull that a worker never requested', () => {
  it('leaves no record when the pod’s secrets stop the worker', async () => {
    const disk = new MovingPodFiles();
    const { images } = await nodeOn(disk);
    await expect(start(images, { policy: 'Always', pullSecrets: crash })).rejects.toThrow('the worker crashed');
    expect([...disk.files.keys()]).toEqual([]);
  });

  it('keeps the present image usable for other pods, after a crash and after a restart of the agent', async () => {
    const disk = new MovingPodFiles();
    const { images } = await nodeOn(disk);
    await expect(start(images, { policy: 'Always', during: crash })).rejects.toThrow('the worker crashed');
    expect([...disk.files.keys()].some((path) => path.includes('/pulling/'))).toBe(true);

    const other = { image: { ref: 'sha256:1' }, failure: undefined, pulls: 0 };
    expect(await start(images, { policy: 'IfNotPresent' })).toEqual(other);
    const { images: later } = await nodeOn(disk);
    expect([...disk.files.keys()]).toEqual([]);
    expect(await start(later, { policy: 'IfNotPresent' })).toEqual(other);
  });

  it('is withdrawn when the pod terminates before the pull', async () => {
    const disk = new MovingPodFiles();
    const { images } = await nodeOn(disk);
    const cancelled = await start(images, { policy: 'Always', during: (attempt) => attempt.cancel() });
    expect(cancelled).toEqual({ image: undefined, failure: undefined, pulls: 0 });
    await expect.poll(() => [...disk.files.keys()]).toEqual([]);
  });
});

describe('a pull whose pod terminates during the pull', () => {
  it('is still recorded with its end', async () => {
    const disk = new MovingPodFiles();
    const { images } = await nodeOn(disk);
    let attempt: SyncAttempt | undefined;
    const cri = new FakeCriClient({
      PullImage: () => {
        attempt?.cancel();
        return undefined;
      },
    });
    await start(images, { policy: 'Always', cri, during: (of) => (attempt = of) });
    await expect.poll(() => [...disk.files.keys()].map((path) => path.split('/').at(-2))).toEqual(['pulled']);
  });
});
