import { describe, expect, it } from 'vitest';
import { ImageManager, type ImageManagerDeps } from '../../../actors/image-manager/actor.ts';
import type { ImageManagerProtocol } from '../../../actors/image-manager/protocol.ts';
import { fullBucket, takePull, withoutPull, withPull } from '../../../actors/image-manager/state.ts';
import { ImageStatusResponse, ListImagesResponse } from '../../../src/cri/gen/api.ts';
import type { PullAccess, SecretAccess } from '../../../src/images/pull-records.ts';
import { RecordFiles } from '../../../src/images/record-files.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakePodFiles } from '../../support/fake-pod-files.ts';

const IMAGE = 'registry.test/app:1';
const REF = 'sha256:1';
const secret: SecretAccess = { uid: 'u', namespace: 'n', name: 's', credentialHash: 'h' };

/** A disk with files in it, on which a file takes another's place. */
class Disk extends FakePodFiles {
  rename(from: string, to: string): void {
    const file = this.files.get(from);
    if (file === undefined) throw new Error(`${from} is not there`);
    this.files.delete(from);
    this.files.set(to, file);
  }

  override removeEntry(directory: string, name: string): void {
    this.files.delete(`${directory}/${name}`);
  }

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
            ? ListImagesResponse.fromPartial({ images: runtime.present.map((id) => ({ id })) })
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
  const begin = () => actor.ask({ type: 'begin-pull', image: IMAGE });
  const end = (access?: PullAccess) =>
    actor.ask({ type: 'end-pull', image: IMAGE, ...(access !== undefined && { pulled: { imageRef: REF, access } }) });
  return { ...actor, disk, runtime, mayUse, begin, end };
}

describe('the image manager', () => {
  it('has it on disk that a pull begins before it lets it, and by whose leave it was made after it', async () => {
    const { begin, end, disk, mayUse } = await imageManager();
    expect(await begin()).toEqual({ type: 'go', logins: [] });
    expect(disk.names).toEqual(['pulling']);
    expect(await mayUse(secret)).toEqual({ mayUse: false });
    await end(secret);
    expect(disk.names).toEqual(['pulled']);
    expect([...disk.files.values()].map(({ mode }) => mode)).toEqual([0o600]);
    expect(await mayUse(secret)).toEqual({ mayUse: true });
    expect(await mayUse()).toEqual({ mayUse: false });
  });

  it('lets those use an image that was pulled as a service account who have that account, and not one of its name', async () => {
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

  it('forgets a pull that failed', async () => {
    const { begin, end, disk, mayUse } = await imageManager();
    await begin();
    await end();
    expect(disk.names).toEqual([]);
    expect(await mayUse()).toEqual({ mayUse: true });
  });

  it('keeps the intent until the last of several pulls of an image has ended', async () => {
    const { begin, end, disk } = await imageManager();
    await begin();
    await begin();
    await end();
    expect(disk.names).toEqual(['pulling']);
    await end('node');
    expect(disk.names).toEqual(['pulled']);
  });

  it('lets nothing be pulled that it cannot write down', async () => {
    const { begin, disk } = await imageManager();
    disk.full = new Error('no space left');
    expect(await begin()).toEqual({ type: 'not-noted', problem: 'no space left' });
  });

  it('keeps the intent where the record cannot be written, so that nobody has the image for nothing', async () => {
    const { begin, end, disk, mayUse, logged } = await imageManager();
    await begin();
    disk.full = new Error('no space left');
    await end('node');
    expect(disk.names).toEqual(['pulling']);
    expect(await mayUse()).toEqual({ mayUse: false });
    expect(logged).toEqual(['warn: whose image this is could not be written down']);
  });

  it('that starts with an intent left makes a record that names nobody of an image that is there', async () => {
    const first = await imageManager();
    await first.begin();
    const { disk } = first;
    const later = await imageManager({ disk, present: [REF] });
    expect(disk.names).toEqual(['pulled']);
    expect(await later.mayUse(secret)).toEqual({ mayUse: false });
  });

  it('that starts with an intent left forgets it where the image never came', async () => {
    const { begin, disk } = await imageManager();
    await begin();
    const later = await imageManager({ disk });
    expect(disk.names).toEqual([]);
    expect(await later.mayUse()).toEqual({ mayUse: true });
  });

  it('that crashed leaves intents alone: the pulls go on', async () => {
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

  it('gives a pull whose end nobody notes up after an hour, and takes the image for nobody’s', async () => {
    const { begin, disk, runtime, pass, mayUse } = await imageManager();
    await begin();
    runtime.present = [REF];
    await pass(3_000_000);
    expect(disk.names).toEqual(['pulling']);
    await pass(1_200_000);
    expect(disk.names).toEqual(['pulled']);
    expect(await mayUse(secret)).toEqual({ mayUse: false });
  });

  it('forgets images that are no more, and only those', async () => {
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

  it('has the logins of the node’s files first, then those of providers, which are asked without tag', async () => {
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
    expect(await begin()).toMatchObject({ type: 'go', logins: [{ username: 'file' }, { username: 'provider' }] });
    expect(asked).toEqual(['registry.test/app', 'registry.test/app']);
  });

  it('lets begin so many pulls at once, and so many a second', async () => {
    const { begin, pass } = await imageManager({ rate: { perSecond: 2, burst: 3 } });
    const types = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, begin))).map(
        (leave) => (leave as { readonly type: string }).type,
      );
    expect(await types(4)).toEqual(['go', 'go', 'go', 'too-many']);
    await pass(1_000);
    expect(await types(3)).toEqual(['go', 'go', 'too-many']);
  });
});

describe('the pulls under way', () => {
  it('are counted by image', () => {
    const two = withPull(withPull(new Map(), 'a', 5), 'a', 7);
    expect([...withoutPull(two, 'a')]).toEqual([['a', { count: 1, begunAt: 7 }]]);
    expect([...withoutPull(withoutPull(two, 'a'), 'a')]).toEqual([]);
    expect([...withoutPull(two, 'b')]).toEqual([['a', { count: 2, begunAt: 7 }]]);
  });

  it('are never too many without a limit', () => {
    const rate = { perSecond: 0, burst: 0 };
    expect(takePull(fullBucket(rate, 0), rate, 0)).toEqual({ left: 0, at: 0 });
  });
});
