import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchedSource, PodVolumes } from '../../src/volumes/plan/volume-plan.ts';
import { objectNotFound, type ObjectData } from '../../src/volumes/plan/object-data.ts';
import { planVolumes } from '../../src/volumes/plan/plan-volumes.ts';
import { setUpVolume, type VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { caseNames, goldenNode, readCase, readObjects } from '../pod/cri-config/golden-case.ts';
import { mayMount, temporaryRoot, volumeTools } from './temporary-root.ts';

/** Volumes as a kubelet was seen to make them: content, modes, owners and links. */

interface RecordedFile {
  readonly path: string;
  readonly mode: string;
  readonly dir?: boolean;
  readonly link?: string;
  readonly content?: string;
  readonly content_base64?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** Entries that only a running container, or a subPath bind, leaves behind. */
const LATER: ReadonlySet<string> = new Set([
  'env-file-read',
  'vol-subpath',
  'vol-subpath-missing-key',
  'vol-subpathexpr',
]);

const withVolumes = caseNames().filter((name) => {
  const { expected } = readCase(name);
  return (expected.files ?? []).some(({ path }) => path.startsWith('volumes/')) && !LATER.has(name);
});

let root: ReturnType<typeof temporaryRoot>;
beforeEach(() => {
  root = temporaryRoot();
});
afterEach(() => root.discard());

const TOKEN = '{{TOKEN}}';

function fetched(plan: PodVolumes['volumes'][number], name: string): readonly FetchedSource[] {
  if (plan.type !== 'files') return [];
  const objects = readObjects(name);
  return plan.sources.map((source): FetchedSource => {
    if (source.type === 'token') {
      const account = objects.find(
        ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === source.serviceAccount,
      );
      if (account !== undefined || source.serviceAccount === 'default') return { type: 'token', token: TOKEN };
      return { type: 'failed', message: `failed to fetch token: serviceaccounts "${source.serviceAccount}" not found` };
    }
    if (source.type !== 'object') return undefined;
    const found = objects.find(({ kind, metadata }) => kind === source.ref.kind && metadata.name === source.ref.name);
    if (found === undefined) return { type: 'missing', message: objectNotFound(source.ref) };
    const data: Record<string, string> = { ...found.data };
    for (const [key, text] of Object.entries(found.stringData ?? {})) data[key] = Buffer.from(text).toString('base64');
    return {
      type: 'object',
      data: { data, ...(found.binaryData && { binaryData: found.binaryData }) } satisfies ObjectData,
    };
  });
}

async function setUp(name: string): Promise<ReadonlyMap<string, VolumeOutcome>> {
  const { pod } = readCase(name);
  const planned = planVolumes({ ...pod, metadata: { ...pod.metadata, uid: 'uid-1' } }, goldenNode);
  const outcomes = new Map<string, VolumeOutcome>();
  for (const plan of planned?.volumes ?? []) {
    const order = { type: 'set-up', rootDir: root.dir, pod: planned, plan, fetched: fetched(plan, name) } as const;
    if (planned !== undefined) outcomes.set(plan.name, await setUpVolume({ ...order, pod: planned }, volumeTools()));
  }
  return outcomes;
}

/** In the form of the records. */
function recorded(at: string, path: string): readonly RecordedFile[] {
  const full = join(at, path);
  if (!existsSync(full)) return [];
  const link = lstatSync(full).isSymbolicLink() ? { link: readlinkSync(full) } : {};
  const { mode, uid, gid } = statSync(full);
  const owner = { ...(uid === 0 ? {} : { uid }), ...(gid === 0 ? {} : { gid }) };
  const text = { path, mode: (mode & 0o7777).toString(8).padStart(4, '0'), ...link, ...owner };
  if (!statSync(full).isDirectory()) {
    const bytes = readFileSync(full);
    const isText = Buffer.from(bytes.toString('utf8')).equals(bytes);
    return [
      { ...text, ...(isText ? { content: bytes.toString('utf8') } : { content_base64: bytes.toString('base64') }) },
    ];
  }
  const inside = readdirSync(full).filter((name) => !name.startsWith('..'));
  return [{ ...text, dir: true }, ...inside.toSorted().flatMap((name) => recorded(at, `${path}/${name}`))];
}

describe.runIf(mayMount)('volumes on a disk', () => {
  it.each(withVolumes)('%s: equal the recorded ones', async (name) => {
    const outcomes = await setUp(name);
    expect([...outcomes.values()].filter(({ ok }) => !ok)).toEqual([]);
    const { pod, expected } = readCase(name);
    const podDir = join(root.dir, 'pods', 'uid-1');
    const wanted = (expected.files ?? []).filter(({ path }) => path.startsWith('volumes/'));
    const places = new Set(wanted.map(({ path }) => path.split('/').slice(0, 3).join('/')));
    const made = [...places].flatMap((place) => recorded(podDir, place));
    const text = JSON.stringify(made).replaceAll('uid-1', '{{UID}}');
    expect(pod.metadata.uid).toBe('{{UID}}');
    expect(JSON.parse(text)).toEqual(wanted);
  });

  it.each(['vol-configmap-missing', 'vol-hostpath-socket-missing', 'vol-token-no-account'])(
    '%s: fail with the recorded words',
    async (name) => {
      const [failed] = [...(await setUp(name))].filter(([, { ok }]) => !ok);
      if (failed === undefined) throw new Error('nothing failed');
      const [volume, outcome] = failed;
      const message = `MountVolume.SetUp failed for volume "${volume}" : ${outcome.ok ? '' : outcome.message}`;
      expect(readCase(name).expected.events).toContainEqual({ type: 'Warning', reason: 'FailedMount', message });
    },
  );

  it('are not changed when they are set up again', async () => {
    for (const name of ['vol-projected-all', 'vol-emptydir', 'vol-configmap-binary']) {
      await setUp(name);
      const before = recorded(join(root.dir, 'pods', 'uid-1'), 'volumes');
      const mounts = root.mountsBelow();
      await setUp(name);
      expect(recorded(join(root.dir, 'pods', 'uid-1'), 'volumes')).toEqual(before);
      expect(root.mountsBelow()).toEqual(mounts);
    }
  });
});
