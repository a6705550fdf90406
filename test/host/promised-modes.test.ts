import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostLogDisk } from '../../actors/container-log-manager/log-disk.ts';
import { certificateStore } from '../../src/api/certificates/certificate-store.ts';
import { hostCsiFiles } from '../../src/csi/csi-files.ts';
import { dataDirectories, makeDataDirectories } from '../../src/host/data-directories.ts';
import { fileModeMask, makeDirectories, makeDirectoriesLater } from '../../src/host/exact-modes.ts';
import { hostPodFiles, podFilesUnder } from '../../src/host/pod-files.ts';
import { keptCertificate } from '../../src/serving/kept-certificate.ts';
import { bindSubPaths } from '../../src/volumes/disk/bind-sub-paths.ts';
import type { Mounter } from '../../src/volumes/disk/mounter.ts';
import { setUpVolume } from '../../src/volumes/disk/set-up-volume.ts';
import type { FilesPlan, VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import { volumeTools } from '../volumes/temporary-root.ts';

let top: string;
const at = (path: string): string => join(top, path);

const noMounts: Mounter = {
  mount: () => Promise.resolve(),
  bind: () => Promise.resolve(),
  unmount: () => Promise.resolve(),
  mountPoints: () => Promise.resolve([]),
  pid: process.pid,
  hold: () => Promise.resolve(),
  letGo: () => Promise.resolve(),
};

const text = (path: string, mode?: number): FilesPlan['sources'][number] => ({
  type: 'text',
  path,
  text: 'x',
  ...(mode !== undefined && { mode }),
});

async function setUp(plan: VolumePlan): Promise<void> {
  const order = { type: 'set-up', rootDir: at('root'), pod: { podUid: 'u', fsGroupChangePolicy: 'Always' } } as const;
  expect(await setUpVolume({ ...order, plan, fetched: [undefined, undefined] }, volumeTools(noMounts))).toEqual({
    ok: true,
  });
}

/** Every path below the folder with its mode; versions of volumes without their instant. Links have no mode. */
function modesBelow(folder: string, prefix = ''): Record<string, string> {
  const modes: Record<string, string> = {};
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    const found = lstatSync(path);
    if (found.isSymbolicLink()) continue;
    const shown = `${prefix}${name.replace(/^\.\.\d.*/, '..VERSION')}`;
    modes[shown] = (found.mode & 0o7777).toString(8);
    if (found.isDirectory()) Object.assign(modes, modesBelow(path, `${shown}/`));
  }
  return modes;
}

it('reads the file mode mask as the process has it', () => expect(fileModeMask()).toBe(process.umask()));

describe.each([0o077, 0o000, 0o027])('with the file mode mask %o', (mask) => {
  let before: number;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'hv-modes-'));
    before = process.umask(mask);
  });
  afterEach(() => {
    process.umask(before);
    rmSync(top, { recursive: true, force: true });
  });

  it.each<[string, () => void | Promise<void>, Record<string, string>]>([
    [
      'the data directories of the node',
      () => makeDataDirectories(dataDirectories(at('lib/root'), at('log/pods'))),
      {
        lib: '750',
        'lib/root': '750',
        'lib/root/pods': '750',
        'lib/root/plugins': '750',
        log: '750',
        'log/pods': '750',
      },
    ],
    [
      'the log folders of a container, and the folder of links to them',
      () => {
        hostPodFiles.makeDirectory(at('pods/a_b_u/main'), 0o755);
        writeFileSync(at('pods/a_b_u/main/0.log'), '', { mode: 0o600 });
        hostPodFiles.link(at('pods/a_b_u/main/0.log'), at('containers/link.log'));
      },
      { containers: '755', pods: '755', 'pods/a_b_u': '755', 'pods/a_b_u/main': '755', 'pods/a_b_u/main/0.log': '600' },
    ],
    [
      'the hosts file and the termination message of a container',
      () => {
        hostPodFiles.writeFile(at('etc-hosts'), '', 0o644);
        hostPodFiles.writeFile(at('message'), '', 0o666);
        hostPodFiles.writeFile(at('secret'), '', 0o600);
      },
      { 'etc-hosts': '644', message: '666', secret: '600' },
    ],
    [
      'a file that was there with another mode',
      () => {
        writeFileSync(at('etc-hosts'), '', { mode: 0o600 });
        hostPodFiles.writeFile(at('etc-hosts'), '', 0o644);
      },
      { 'etc-hosts': '644' },
    ],
    [
      'the files of a pod, on a thread that has read the mask',
      () => {
        const files = podFilesUnder(fileModeMask());
        files.makeDirectory(at('pods/u/containers'), 0o750);
        files.makeDirectory(at('pods/u/shared'), 0o777);
        files.writeFile(at('pods/u/etc-hosts'), '', 0o644);
        files.writeFile(at('pods/u/message'), '', 0o666);
        writeFileSync(at('pods/u/id'), 'longer', { mode: 0o644 });
        files.writeFile(at('pods/u/id'), 'id', 0o600);
        expect(files.read(at('pods/u/id'))).toBe('id');
      },
      {
        pods: '750',
        'pods/u': '750',
        'pods/u/containers': '750',
        'pods/u/etc-hosts': '644',
        'pods/u/id': '600',
        'pods/u/message': '666',
        'pods/u/shared': '777',
      },
    ],
    [
      'a compressed log',
      async () => {
        hostPodFiles.writeFile(at('0.log.1'), 'x', 0o664);
        await hostLogDisk(1).compress(top, '0.log.1');
      },
      { '0.log.1.gz': '664' },
    ],
    [
      'an emptyDir',
      async () => {
        makeDirectories(at('root'), 0o750);
        await setUp({ type: 'empty-dir', name: 'scratch', medium: 'disk' });
      },
      {
        root: '750',
        'root/pods': '750',
        'root/pods/u': '750',
        'root/pods/u/plugins': '750',
        'root/pods/u/plugins/kubernetes.io~empty-dir': '750',
        'root/pods/u/plugins/kubernetes.io~empty-dir/scratch': '750',
        'root/pods/u/plugins/kubernetes.io~empty-dir/scratch/ready': '644',
        'root/pods/u/volumes': '750',
        'root/pods/u/volumes/kubernetes.io~empty-dir': '750',
        'root/pods/u/volumes/kubernetes.io~empty-dir/scratch': '777',
      },
    ],
    [
      'projected files',
      async () => {
        makeDirectories(at('root/pods/u/volumes/kubernetes.io~projected'), 0o750);
        const sources = [text('all/of/it', 0o666), text('group', 0o440)];
        await setUp({ type: 'files', name: 'v', plugin: 'projected', defaultMode: 0o644, sources });
      },
      {
        root: '750',
        'root/pods': '750',
        'root/pods/u': '750',
        'root/pods/u/volumes': '750',
        'root/pods/u/volumes/kubernetes.io~projected': '750',
        'root/pods/u/volumes/kubernetes.io~projected/v': '777',
        'root/pods/u/volumes/kubernetes.io~projected/v/..VERSION': '755',
        'root/pods/u/volumes/kubernetes.io~projected/v/..VERSION/all': '755',
        'root/pods/u/volumes/kubernetes.io~projected/v/..VERSION/all/of': '755',
        'root/pods/u/volumes/kubernetes.io~projected/v/..VERSION/all/of/it': '666',
        'root/pods/u/volumes/kubernetes.io~projected/v/..VERSION/group': '440',
      },
    ],
    [
      'a hostPath of the type DirectoryOrCreate, with its parents',
      () => setUp({ type: 'host-path', name: 'h', path: at('made/by/kubelet/'), check: 'DirectoryOrCreate' }),
      { made: '755', 'made/by': '755', 'made/by/kubelet': '755' },
    ],
    [
      'a hostPath of the type FileOrCreate',
      () => setUp({ type: 'host-path', name: 'h', path: at('file'), check: 'FileOrCreate' }),
      { file: '644' },
    ],
    [
      'a directory that a subPath asks for, with the mode of its volume',
      async () => {
        makeDirectories(at('root'), 0o750);
        makeDirectories(at('volume'), 0o775);
        const part = { volume: 'v', volumePath: at('volume'), subPath: 'a/b', index: 0 };
        const order = {
          type: 'bind-sub-paths',
          rootDir: at('root'),
          podUid: 'u',
          container: 'c',
          binds: [part],
        } as const;
        await bindSubPaths(order, volumeTools(noMounts));
      },
      {
        root: '750',
        'root/pods': '750',
        'root/pods/u': '750',
        'root/pods/u/volume-subpaths': '750',
        'root/pods/u/volume-subpaths/v': '750',
        'root/pods/u/volume-subpaths/v/c': '750',
        'root/pods/u/volume-subpaths/v/c/0': '750',
        volume: '775',
        'volume/a': '775',
        'volume/a/b': '775',
      },
    ],
    [
      'directories of drivers',
      () => hostCsiFiles.makeDirectory(at('plugins/kubernetes.io/csi')),
      { plugins: '750', 'plugins/kubernetes.io': '750', 'plugins/kubernetes.io/csi': '750' },
    ],
    [
      'certificates of the node',
      async () => {
        await certificateStore(at('pki')).write('pem', Date.UTC(2026, 0, 1));
        const make = (): Promise<{ cert: string; key: string }> => Promise.resolve({ cert: 'c', key: 'k' });
        await keptCertificate({ folder: at('own'), now: 0, make });
      },
      {
        own: '755',
        'own/kubelet.crt': '644',
        'own/kubelet.key': '600',
        pki: '755',
        'pki/kubelet-client-2026-01-01-00-00-00.pem': '600',
      },
    ],
  ])('%s', async (_, make, modes) => {
    await make();
    expect(modesBelow(top)).toEqual(modes);
  });

  it('existing directories keep their mode', async () => {
    makeDirectories(at('there'), 0o711);
    makeDirectories(at('there'), 0o750);
    await makeDirectoriesLater(at('there/below'), 0o755);
    expect([at('there'), at('there/below')].map((path) => (statSync(path).mode & 0o7777).toString(8))).toEqual([
      '711',
      '755',
    ]);
  });
});
