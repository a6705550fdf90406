import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  publishDirectory,
  publishedPath,
  podVolumes,
  stagingPlace,
  type CsiPlace,
} from '../../../src/csi/volume-places.ts';
import { entryName, isBelow, isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { containerLogPath, legacyLogLink, podLogDirectory } from '../../../src/pod/values/pod-log-path.ts';
import { containerDir, etcHostsPath, podDir } from '../../../src/pod/values/pod-paths.ts';
import { volumeOnHost } from '../../../src/pod/cri-config/volume-host-path.ts';
import { podDevice } from '../../../src/volumes/plan/device-place.ts';
import { pod } from '../../pod/pods.ts';

const ROOT = '/var/lib/kubelet';
const LOGS = '/var/log/pods';

const hostile = fc.oneof(
  fc.constantFrom('', '.', '..', '/', '../', '../..', 'a/../../b', '/etc/passwd', 'a\0b', '..\0', 'a/b', '~', '%2e%2e'),
  fc.string({ maxLength: 12 }),
  fc.array(fc.constantFrom('..', '.', '', 'a', '\0'), { maxLength: 5 }).map((steps) => steps.join('/')),
  fc.constantFrom('x'.repeat(300), 'ä'.repeat(200), '../'.repeat(100)),
);

/** `undefined` when no path was made, because a name was refused. */
function made(path: () => string): string | undefined {
  try {
    return path();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

describe('the name of an entry of a directory', () => {
  it.each(['a', 'web-0', '..a', 'a..', '...', '.hidden', 'ä', 'a b', 'x:y'])('is %j', (name) => {
    expect(isEntryName(name)).toBe(true);
    expect(entryName(name)).toBe(name);
  });

  it.each(['', '.', '..', '/', 'a/b', '../a', 'a\0', '/a'])('is never %j', (name) => {
    expect(isEntryName(name)).toBe(false);
    expect(() => entryName(name)).toThrow('is not a valid name of a directory entry');
  });

  it('is truncated in its error', () => {
    expect(() => entryName('/'.repeat(1_000_000))).toThrow(/^.{1,400}$/);
  });
});

describe('a path below a directory', () => {
  it.each([
    { path: '/logs/a/0.log', below: true },
    { path: '/logs/a', below: true },
    { path: '/logs', below: false },
    { path: '/logs/', below: false },
    { path: '/logs2/a', below: false },
    { path: '/logs/../etc/passwd', below: false },
    { path: '/logs/a/../../b', below: false },
    { path: '/logs//a', below: false },
    { path: 'logs/a', below: false },
  ])('$path: $below', ({ path, below }) => {
    expect(isBelow('/logs', path)).toBe(below);
  });
});

describe('any names of a pod', () => {
  const place: CsiPlace = { rootDir: ROOT, nodeName: 'node', files: undefined as never };

  it('no path leads out of the root directory', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (uid, name, other) => {
        const { metadata, spec } = pod({ metadata: { uid } });
        const volume = { name, emptyDir: {} };
        const specName = name;
        const paths = [
          () => podDir(ROOT, uid),
          () => etcHostsPath(ROOT, uid),
          () => containerDir(ROOT, uid, name),
          () => volumeOnHost({ apiVersion: 'v1', kind: 'Pod', metadata, spec }, volume, ROOT)?.hostPath ?? '',
          () => podDevice({ rootDir: ROOT, podUid: uid }, { plugin: 'kubernetes.io~csi', specName }),
          () => podVolumes(place, uid),
          () => publishDirectory(place, specName),
          () => publishedPath(place, uid, { mode: 'Block', specName }),
          () => publishedPath(place, uid, { mode: 'Filesystem', specName }),
          () => stagingPlace(place, { driver: name, handle: other }).path,
          () => stagingPlace(place, { driver: name, handle: other, device: name }).record,
        ];
        const outside = paths.map(made).filter((path) => path !== undefined && !isBelow(ROOT, path));
        expect(outside).toEqual([]);
      }),
    );
  });

  it('no log leads out of the log directory', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (namespace, name, uid) => {
        const directory = podLogDirectory({ namespace, name, uid });
        const log = made(() => containerLogPath(name, 0)) ?? 'refused';
        const link = made(() => legacyLogLink({ name, namespace }, uid, 'id')) ?? 'refused';
        expect(isBelow(LOGS, `${LOGS}/${directory.name}`)).toBe(true);
        expect(isBelow(LOGS, `${LOGS}/${directory.name}/${log}`)).toBe(true);
        expect(isEntryName(link)).toBe(true);
        expect(!directory.ok || directory.name === `${namespace}_${name}_${uid}`).toBe(true);
      }),
    );
  });
});
