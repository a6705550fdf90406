import { describe, expect, it } from 'vitest';
import { ImageManager, type ImageManagerDeps } from '../../../actors/image-manager/actor.ts';
import type { ImageManagerProtocol } from '../../../actors/image-manager/protocol.ts';
import { withoutPull, withPull } from '../../../actors/image-manager/state.ts';
import { ImageStatusResponse, ListImagesResponse } from '../../../src/cri/gen/api.ts';
import type { PullAccess, SecretAccess } from '../../../src/images/pull-records.ts';
import { RecordFiles } from '../../../src/images/record-files.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { MovingPodFiles } from '../../support/moving-pod-files.ts';

const IMAGE = 'registry.test/app:1';
const REF = 'sha256:1';
const secret: SecretAccess = { uid: 'u', namespace: 'n', name: 's', credentialHash: 'h' };

class Disk extends MovingPodFiles {
  get names(): readonly string[] {
    return [...this.files.keys()].map((path) => path.replace(/.*image_manager\/(\w+)\/.*/, '$1')).toSorted();
  }
}

async function imageManager(
  change: Partial<ImageManagerDeps> & { readonly disk?: Disk; readonly present?: readonly string[] } = {},
) {
  const { disk = new Disk(), present = [], ...deps } = change;
  const runtime = { present };
  const cri = {
    call: (method: string) =>
      Promise.resolve({
        ok: true,
        value:
          method === 'ListImages'
            ? ListImagesResponse.fromPartial({ images: runtime.present.map((id) => ({ id, repoTags: [IMAGE] })) })
            : ImageStatusResponse.fromPartial(
                runtime.present.length > 0 ? { image: { id: runtime.present[0] ?? '' } } : {},
              ),
      }),
  } as unknown as ImageManagerDeps['cri'];
  const actor = await actorUnderTest<ImageManagerProtocol>({
    address: 'image-manager',
    make: (context) =>
      new ImageManager(context, {
        cri,
        records: new RecordFiles(disk, '/root'),
        verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
        rate: { perSecond: 0, burst: 1 },
        providers: { providers: [], run: () => Promise.reject(new Error('nobody is asked')) },
        fileLogins: () => [],
        ...deps,
      }),
    others: {},
    startMs: Date.UTC(2030, 0, 1),
  });
  const mayUse = (...secrets: readonly SecretAccess[]) =>
    actor.ask({ type: 'may-use-image', image: IMAGE, imageRef: REF, secrets });
  const begin = (uid = 'pod-1') =>
    actor.ask({ type: 'begin-pull', image: IMAGE, pod: { namespace: 'n', name: 'p', uid, serviceAccount: '' } });
  const end = (access?: PullAccess, podUid = 'pod-1') =>
    actor.ask({
      type: 'end-pull',
      image: IMAGE,
      podUid,
      ...(access !== undefined && { pulled: { imageRef: REF, access } }),
    });
  return { ...actor, disk, runtime, mayUse, begin, end };
}

describe('the image manager', () => {
  it('saves the intent to pull before it permits the pull, and the credentials used afterwards', async () => {
    const { begin, end, disk, mayUse } = await imageManager();
    expect(await begin()).toEqual({ type: 'allowed', logins: [] });
    expect(disk.names).toEqual(['pulling']);
    expect(await mayUse(secret)).toEqual({ mayUse: false });
    await end(secret);
    expect(disk.names).toEqual(['pulled']);
    expect([...disk.files.values()].map(({ mode }) => mode)).toEqual([0o600]);
    expect(await mayUse(secret)).toEqual({ mayUse: true });
    expect(await mayUse()).toEqual({ mayUse: false });
  });

  it('permits an image pulled with a service account to pods of that account, by its UID and not its name', async () => {
    const account = { uid: 'account-1', namespace: 'n', name: 'builder' };
    const accounts = { uid: 'account-1' };
    const { ask, begin, end, disk } = await imageManager({
      providers: {
        providers: [],
        run: () => Promise.reject(new Error('nobody is asked')),
        accounts: {
          facts: async () => ({ ok: true, value: { uid: accounts.uid, annotations: {} } }),
          token: () => Promise.reject(new Error('nobody needs one')),
        },
      },
    });
    await begin();
    await end({ serviceAccount: account });
    expect([...disk.files.values()].map(({ text }) => text).join()).toContain(
      '"kubernetesServiceAccounts":[{"uid":"account-1","namespace":"n","name":"builder"}]',
    );
    const asked = (serviceAccount: string, namespace = 'n') =>
      ask({
        type: 'may-use-image',
        image: IMAGE,
        imageRef: REF,
        secrets: [],
        pod: { namespace, name: 'p', uid: 'u', serviceAccount },
      });
    expect(await asked('builder')).toEqual({ mayUse: true });
    expect(await asked('other')).toEqual({ mayUse: false });
    expect(await asked('builder', 'elsewhere')).toEqual({ mayUse: false });
    accounts.uid = 'account-2';
    expect(await asked('builder')).toEqual({ mayUse: false });
  });

  it('drops a failed pull', async () => {
    const { begin, end, disk, mayUse } = await imageManager();
    await begin();
    await end();
    expect(disk.names).toEqual([]);
    expect(await mayUse()).toEqual({ mayUse: true });
  });

  it('keeps the intent until the last of several pulls of an image has ended', async () => {
    const { begin, end, disk } = await imageManager();
    await begin('pod-1');
    await begin('pod-2');
    await end(undefined, 'pod-1');
    expect(disk.names).toEqual(['pulling']);
    await end('node', 'pod-2');
    expect(disk.names).toEqual(['pulled']);
  });

  it('counts a pull once when a pod begins it again after a crash of its worker', async () => {
    const { begin, end, disk } = await imageManager();
    await begin('pod-1');
    await begin('pod-1');
    await end(undefined, 'pod-1');
    expect(disk.names).toEqual([]);
  });

  it('permits no pull that it cannot record on disk', async () => {
    const { begin, disk } = await imageManager();
    disk.full = new Error('no space left');
    expect(await begin()).toEqual({ type: 'intent-not-written', problem: 'no space left' });
  });

  it('keeps the intent when the record cannot be written, so no pod may use the image without credentials', async () => {
    const { begin, end, disk, mayUse, logged } = await imageManager();
    await begin();
    disk.full = new Error('no space left');
    await end('node');
    expect(disk.names).toEqual(['pulling']);
    expect(await mayUse()).toEqual({ mayUse: false });
    expect(logged).toEqual(["warn: the image's pull record could not be written; pods need a login to use the image"]);
  });

  it('turns an intent left by its predecessor into a record without credentials, when the image is present', async () => {
    const first = await imageManager();
    await first.begin();
    const { disk } = first;
    const later = await imageManager({ disk, present: [REF] });
    expect(disk.names).toEqual(['pulled']);
    expect(await later.mayUse(secret)).toEqual({ mayUse: false });
  });

  it('removes an intent left by its predecessor when the image is absent', async () => {
    const { begin, disk } = await imageManager();
    await begin();
    const later = await imageManager({ disk });
    expect(disk.names).toEqual([]);
    expect(await later.mayUse()).toEqual({ mayUse: true });
  });

  it('keeps all intents after its own crash: the pulls continue', async () => {
    const { begin, crash, disk, end, mayUse, runtime, pass } = await imageManager();
    await begin();
    runtime.present = [REF];
    await crash();
    await pass(5_000);
    expect(disk.names).toEqual(['pulling']);
    await end(secret);
    expect(disk.names).toEqual(['pulled']);
    expect(await mayUse(secret)).toEqual({ mayUse: true });
  });

  describe('with a pull that never reached the runtime', () => {
    it('permits the image present before the pull, and removes the intent when the agent restarts', async () => {
      const first = await imageManager({ present: [REF] });
      await first.begin();
      expect(await first.mayUse()).toEqual({ mayUse: true });
      const later = await imageManager({ disk: first.disk, present: [REF] });
      expect(first.disk.names).toEqual([]);
      expect(await later.mayUse()).toEqual({ mayUse: true });
    });

    it('removes the intent after an hour without a restart', async () => {
      const { begin, disk, mayUse, pass } = await imageManager({ present: [REF] });
      await begin();
      await pass(4_200_000);
      expect(disk.names).toEqual([]);
      expect(await mayUse()).toEqual({ mayUse: true });
    });

    it('permits the image after its own crash, and removes the intent after an hour', async () => {
      const { begin, crash, disk, mayUse, pass } = await imageManager({ present: [REF] });
      await begin();
      await crash();
      expect(await mayUse()).toEqual({ mayUse: true });
      await pass(3_000_000);
      expect(disk.names).toEqual(['before', 'pulling']);
      await pass(1_200_000);
      expect(disk.names).toEqual([]);
      expect(await mayUse()).toEqual({ mayUse: true });
    });

    it("uses the worker's inspection of the image, and lists images without one", async () => {
      const { ask, disk, mayUse, runtime } = await imageManager({ present: ['sha256:0'] });
      const pod = { namespace: 'n', name: 'p', uid: 'pod-1', serviceAccount: '' };
      await ask({ type: 'begin-pull', image: IMAGE, pod, inspected: { imageRef: REF } });
      runtime.present = [REF];
      expect(disk.names).toEqual(['before', 'pulling']);
      expect(await mayUse()).toEqual({ mayUse: true });
    });

    it('denies an image that arrived after the pull began', async () => {
      const first = await imageManager({ present: ['sha256:0'] });
      await first.begin();
      first.runtime.present = [REF];
      expect(await first.mayUse()).toEqual({ mayUse: false });
      const later = await imageManager({ disk: first.disk, present: [REF] });
      expect(first.disk.names).toEqual(['pulled']);
      expect(await later.mayUse()).toEqual({ mayUse: false });
    });

    it('does not count an image that an earlier pull may have brought as present before', async () => {
      const { begin, runtime, mayUse } = await imageManager();
      await begin('pod-1');
      runtime.present = [REF];
      await begin('pod-2');
      expect(await mayUse()).toEqual({ mayUse: false });
    });

    it('drops the earlier image once a pull begins without it', async () => {
      const { begin, runtime, mayUse } = await imageManager({ present: [REF] });
      await begin('pod-1');
      runtime.present = [];
      await begin('pod-2');
      runtime.present = [REF];
      expect(await mayUse()).toEqual({ mayUse: false });
    });
  });

  it('writes no intent before the credential providers have answered', async () => {
    const { begin, disk, pass } = await imageManager({
      providers: {
        providers: [{ name: 'p', places: ['registry.test'], defaultCacheMs: 0, apiVersion: 'v', args: [], env: {} }],
        run: () => new Promise(() => {}),
      },
    });
    void begin();
    await pass(0);
    expect(disk.names).toEqual([]);
  });

  it('abandons a pull without a recorded end after an hour, and treats its credentials as unknown', async () => {
    const { begin, disk, runtime, pass, mayUse } = await imageManager();
    await begin();
    runtime.present = [REF];
    await pass(3_000_000);
    expect(disk.names).toEqual(['pulling']);
    await pass(1_200_000);
    expect(disk.names).toEqual(['pulled']);
    expect(await mayUse(secret)).toEqual({ mayUse: false });
  });

  it('drops records of removed images, and only those', async () => {
    const { begin, end, disk, runtime, pass } = await imageManager();
    await begin();
    await end('node');
    runtime.present = [REF];
    await pass(300_000);
    expect(disk.names).toEqual(['pulled']);
    runtime.present = [];
    await pass(300_000);
    expect(disk.names).toEqual([]);
  });

  it('lists the logins of the node’s files first, then those of providers, which are called without the tag', async () => {
    const asked: string[] = [];
    const { begin } = await imageManager({
      fileLogins: (image) => {
        asked.push(image);
        return [{ username: 'file', password: 'x' }];
      },
      providers: {
        providers: [{ name: 'p', places: ['registry.test'], defaultCacheMs: 0, apiVersion: 'v', args: [], env: {} }],
        run: (_, image) => {
          asked.push(image);
          const auth = { 'registry.test': { username: 'provider', password: 'x' } };
          return Promise.resolve({ ok: true, answer: { cacheKeyType: 'Image', cacheMs: 0, auth } });
        },
      },
    });
    expect(await begin()).toMatchObject({ type: 'allowed', logins: [{ username: 'file' }, { username: 'provider' }] });
    expect(asked).toEqual(['registry.test/app', 'registry.test/app']);
  });

  it('limits pulls by burst and by rate', async () => {
    const { begin, pass } = await imageManager({ rate: { perSecond: 2, burst: 3 } });
    const types = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, begin))).map(
        (leave) => (leave as { readonly type: string }).type,
      );
    expect(await types(4)).toEqual(['allowed', 'allowed', 'allowed', 'rate-limited']);
    await pass(1_000);
    expect(await types(3)).toEqual(['allowed', 'allowed', 'rate-limited']);
  });

  it('permits any number of pulls without a limit', async () => {
    const { begin } = await imageManager({ rate: { perSecond: 0, burst: 0 } });
    expect(await begin()).toMatchObject({ type: 'allowed' });
  });
});

describe('the pulls under way', () => {
  it('are known by image and pod', () => {
    const pull = (image: string, podUid: string) => ({ image, podUid });
    const two = withPull(withPull(new Map(), pull('a', 'one'), 5), pull('a', 'two'), 7);
    expect(withoutPull(two, pull('a', 'one'))).toEqual(new Map([['a', new Map([['two', 7]])]]));
    expect(withoutPull(withoutPull(two, pull('a', 'one')), pull('a', 'two'))).toEqual(new Map());
    expect(withoutPull(two, pull('b', 'one'))).toEqual(two);
    expect(withPull(two, pull('a', 'one'), 9).get('a')?.get('one')).toBe(9);
  });
});
