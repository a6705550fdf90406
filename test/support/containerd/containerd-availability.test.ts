import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { containerdAvailability, type MachineView } from './containerd-availability.ts';

const NET_ADMIN = 1n << 12n;
const SYS_ADMIN = 1n << 21n;
const PROGRAMS = ['containerd', 'ctr', 'runc', 'ip', 'iptables', 'busybox'];
const PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];

describe('whether containerd can run here', () => {
  let dir: string;
  let machine: MachineView;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hivelet-machine-'));
    await mkdir(join(dir, 'cni'));
    for (const program of PROGRAMS) await writeFile(join(dir, program), elf({ loader: 'no' }), { mode: 0o755 });
    for (const plugin of PLUGINS) await writeFile(join(dir, 'cni', plugin), '', { mode: 0o755 });
    machine = {
      uid: 0,
      path: `/nowhere:${dir}`,
      cniBinDirs: ['/nowhere', join(dir, 'cni')],
      capabilities: NET_ADMIN | SYS_ADMIN,
    };
  });

  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('names the tools it found', () => {
    const programs = Object.fromEntries(PROGRAMS.map((program) => [program, join(dir, program)]));
    expect(containerdAvailability(machine)).toEqual({
      available: true,
      tools: { ...programs, cniBinDir: join(dir, 'cni') },
    });
  });

  it.each([
    { lack: 'another user than root', view: { uid: 1000 }, missing: ['root privileges'] },
    {
      lack: 'root without the right to mount',
      view: { capabilities: NET_ADMIN },
      missing: ['the capability CAP_SYS_ADMIN'],
    },
    {
      lack: 'root without the right to make links',
      view: { capabilities: SYS_ADMIN },
      missing: ['the capability CAP_NET_ADMIN'],
    },
    {
      lack: 'no CNI plugins',
      view: { cniBinDirs: [] },
      missing: ['the CNI plugins bridge, host-local, loopback, portmap'],
    },
    { lack: 'no programs', view: { path: '' }, missing: PROGRAMS.map((program) => `the program ${program}`) },
  ])('says what is missing: $lack', ({ view, missing }) => {
    expect(containerdAvailability({ ...machine, ...view })).toEqual({ available: false, missing });
  });

  it('says so when busybox would need a loader that no image has', async () => {
    await writeFile(join(dir, 'busybox'), elf({ loader: 'yes' }));
    expect(containerdAvailability(machine)).toEqual({
      available: false,
      missing: [`a statically linked busybox (${join(dir, 'busybox')} needs a loader)`],
    });
  });

  it('does not take a file that may not be executed', async () => {
    await rm(join(dir, 'runc'));
    await writeFile(join(dir, 'runc'), '', { mode: 0o644 });
    expect(containerdAvailability(machine)).toEqual({ available: false, missing: ['the program runc'] });
  });
});

/** The header of a 64-bit ELF file with two segments, one of which may name a loader. */
function elf({ loader }: { loader: 'yes' | 'no' }): Buffer {
  const file = Buffer.alloc(64 + 2 * 56);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(2, 56);
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(loader === 'yes' ? 3 : 1, 64 + 56);
  return file;
}
