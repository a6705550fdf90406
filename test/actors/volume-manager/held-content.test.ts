import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VolumeManager } from '../../../actors/volume-manager/actor.ts';
import type { VolumeManagerProtocol } from '../../../actors/volume-manager/protocol.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { noDriverVolumes } from '../../../src/volumes/plan/driver-volume-calls.ts';
import { noBundles, type ObjectAnswer, type ObjectSource } from '../../../src/volumes/plan/object-source.ts';
import { resolveBeneath } from '../../../src/volumes/disk/resolve-beneath.ts';
import { VolumeExecutor, type VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import type { FilesPlan, PodVolumes } from '../../../src/volumes/plan/volume-plan.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { temporaryRoot, volumeTools } from '../../volumes/temporary-root.ts';

const uid = podUid('uid-1');
const MINUTE = 60_000;

let root: ReturnType<typeof temporaryRoot>;
beforeEach(() => {
  root = temporaryRoot();
});
afterEach(() => root.discard());

/** The manager over real files below a folder of its own. `set` changes the content that it will find. */
async function manager(plan: FilesPlan) {
  const rootDir = join(root.dir, 'root');
  mkdirSync(rootDir, { recursive: true });
  const executor = new VolumeExecutor(volumeTools());
  const world = { text: 'one', hold: (): Promise<void> => Promise.resolve() };
  const objects: ObjectSource = {
    ...noBundles,
    get: async ({ kind }): Promise<ObjectAnswer> => {
      const k = kind === 'Secret' ? btoa(world.text) : world.text;
      return { type: 'found', data: { data: { k } }, version: world.text };
    },
    token: async () => ({ type: 'found', token: world.text }),
  };
  const actor = await actorUnderTest<VolumeManagerProtocol>({
    address: 'volume-manager',
    make: (context) =>
      new VolumeManager(context, {
        rootDir,
        objects: () => objects,
        foreign: () => noDriverVolumes,
        syncFrequencyMs: 1_000,
        podThreads: [],
      }),
    others: {
      'job-pool': async (question) => {
        const { orders } = question as unknown as { readonly orders: readonly VolumeOrder[] };
        await world.hold();
        return { ok: true, value: await executor.carryOut(orders) };
      },
      'pod-worker/uid-1': () => undefined,
    },
  });
  const planNow = (): FilesPlan => ({
    ...plan,
    sources: plan.sources.map((source) => (source.type === 'text' ? { ...source, text: world.text } : source)),
  });
  const wanted = (): PodVolumes => ({
    podUid: uid,
    namespace: 'shop',
    podName: 'web',
    volumes: [planNow()],
    fsGroupChangePolicy: 'Always',
  });
  const volume = join(rootDir, 'pods', uid, 'volumes', `kubernetes.io~${plan.plugin}`, plan.name);
  const versions = (): readonly string[] => readdirSync(volume).filter((name) => /^\.\.\d/.test(name));
  return {
    ...actor,
    world,
    volume,
    versions,
    mount: () => actor.ask({ type: 'mount-volumes', pod: wanted() }),
    hold: () => actor.ask({ type: 'hold-content', podUid: uid, container: 'main' }),
    release: () => actor.tell({ type: 'content-released', podUid: uid, container: 'main' }),
    /** The content changes, and the manager looks at it. */
    refresh: async (text: string): Promise<void> => {
      world.text = text;
      await actor.tell({ type: 'volumes-wanted', pod: wanted() });
      await expect.poll(() => readFileSync(join(volume, 'k'), 'utf8')).toBe(text);
      await actor.quiet();
    },
    /** The agent has just started: what may be under way from before is over. */
    settle: () => actor.pass(11 * MINUTE),
  };
}

const object = (kind: 'ConfigMap' | 'Secret'): FilesPlan['sources'][number] => ({
  type: 'object',
  ref: { kind, namespace: 'shop', name: 'c' },
  optional: false,
});
const plan = (plugin: FilesPlan['plugin'], ...sources: FilesPlan['sources']): FilesPlan => ({
  type: 'files',
  name: 'data',
  plugin,
  defaultMode: 0o644,
  sources,
});
const text: FilesPlan['sources'][number] = { type: 'text', path: 'k', text: 'one' };
const token: FilesPlan['sources'][number] = {
  type: 'token',
  path: 'k',
  audience: '',
  expirationSeconds: 3_600,
  serviceAccount: 'default',
};
const kinds: readonly (readonly [string, FilesPlan])[] = [
  ['configMap', plan('configmap', object('ConfigMap'))],
  ['secret', plan('secret', object('Secret'))],
  ['downwardAPI', plan('downward-api', text)],
  ['projected', plan('projected', text, { ...token, path: 'token' }, { ...text, path: 'other' })],
  ['projected token', plan('projected', token)],
];

describe.each(kinds)('the content of a %s volume', (_, filesPlan) => {
  it('stays while a container starts with it, and goes with the answer of the runtime', async () => {
    const { mount, hold, release, refresh, settle, volume, versions, quiet } = await manager(filesPlan);
    await mount();
    await settle();
    expect(await hold()).toEqual({ ok: true });
    // As the runtime gets them: the directory of a version for the whole volume, and one file for a subPath.
    const whole = realpathSync(join(volume, '..data'));
    const part = resolveBeneath(volume, 'k', 'fail');
    const given = openSync(join(whole, 'k'), 'r');
    for (const next of ['two', 'three', 'four']) await refresh(next);
    expect(readFileSync(join(whole, 'k'), 'utf8')).toBe('one');
    expect(fstatSync(part.fd).nlink).toBe(1);
    await release();
    await expect.poll(async () => (await quiet(), versions())).toHaveLength(1);
    expect(readFileSync(join(volume, 'k'), 'utf8')).toBe('four');
    expect(fstatSync(part.fd).nlink).toBe(0);
    part.close();
    closeSync(given);
  });
});

describe('content', () => {
  const filesPlan = plan('configmap', object('ConfigMap'));

  it('is removed at the next refresh where no container starts', async () => {
    const { mount, refresh, settle, versions } = await manager(filesPlan);
    await mount();
    await settle();
    await refresh('two');
    expect(versions()).toHaveLength(1);
  });

  it('stays until the last start that was given it is answered', async () => {
    const { mount, ask, hold, release, refresh, settle, versions, tell, quiet } = await manager(filesPlan);
    await mount();
    await settle();
    await Promise.all([hold(), ask({ type: 'hold-content', podUid: uid, container: 'side' })]);
    await refresh('two');
    await release();
    expect(versions()).toHaveLength(2);
    await tell({ type: 'content-released', podUid: uid, container: 'side' });
    await expect.poll(async () => (await quiet(), versions())).toHaveLength(1);
  });

  it('goes ten minutes after a start whose answer was lost', async () => {
    const { mount, hold, refresh, settle, versions, pass } = await manager(filesPlan);
    await mount();
    await settle();
    await hold();
    await refresh('two');
    await pass(9 * MINUTE);
    expect(versions()).toHaveLength(2);
    await pass(MINUTE);
    await expect.poll(async () => (await pass(1), versions())).toHaveLength(1);
  });

  it('stays after a crash of the manager, which does not know what is starting', async () => {
    const { mount, hold, refresh, settle, versions, crash, pass } = await manager(filesPlan);
    await mount();
    await settle();
    await hold();
    await crash();
    await pass(1_000);
    await mount();
    await refresh('two');
    expect(versions()).toHaveLength(2);
    await pass(10 * MINUTE);
    await expect.poll(async () => (await pass(1), versions())).toHaveLength(1);
  });

  it('is held only once a refresh that was under way has ended', async () => {
    const { mount, hold, settle, tell, world, quiet } = await manager(filesPlan);
    await mount();
    await settle();
    const write = Promise.withResolvers<void>();
    world.hold = () => write.promise;
    world.text = 'two';
    await tell({ type: 'objects-changed', keys: 'any' });
    let isHeld = false;
    const held = hold().then((answer) => {
      isHeld = true;
      return answer;
    });
    await quiet();
    expect(isHeld).toBe(false);
    write.resolve();
    expect(await held).toEqual({ ok: true });
  });
});
