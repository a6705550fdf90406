import { describe, expect, it } from 'vitest';
import {
  readFileSystems,
  readNodeFigures,
  type FileSystemFacts,
  type FiguresSource,
} from '../../../src/node/eviction/read-figures.ts';

const disk = (device: number, availableBytes: number): FileSystemFacts => ({
  device,
  availableBytes,
  capacityBytes: 1_000,
  inodesFree: 5,
  inodes: 50,
});

const everywhere = {
  '/proc/meminfo': 'MemTotal:       1000 kB\nMemFree:         300 kB\n',
  '/proc/loadavg': '0.10 0.20 0.30 2/457 12345\n',
  '/proc/sys/kernel/pid_max': '4194304\n',
  '/proc/sys/kernel/threads-max': '32768\n',
};

const source = (files: Readonly<Record<string, string>>, more: Partial<FiguresSource> = {}): FiguresSource => ({
  host: {
    read: (path) => ({ ...everywhere, ...files })[path],
    fileSystem: async (path) => (path === '/root' ? disk(1, 10) : path === '/images' ? disk(2, 20) : undefined),
  },
  imageMounts: () => Promise.resolve({ images: '/images' }),
  rootDir: '/root',
  cgroupMount: '/cg',
  podsCgroup: '/kubepods',
  splitAllowed: true,
  now: () => 0,
  ...more,
});

describe('the figures of a node', () => {
  it.each([
    {
      version: 'version 1',
      files: {
        '/cg/memory/memory.usage_in_bytes': String(600 * 1024),
        '/cg/memory/memory.stat': `inactive_file 7\ntotal_inactive_file ${100 * 1024}\n`,
        '/cg/memory/kubepods/memory.usage_in_bytes': '900\n',
        '/cg/memory/kubepods/memory.limit_in_bytes': '1000\n',
        '/cg/memory/kubepods/memory.stat': 'total_inactive_file 200\n',
      },
      used: 500 * 1024,
    },
    {
      version: 'version 2',
      files: {
        '/cg/memory.stat': `anon 1\ninactive_file ${100 * 1024}\n`,
        '/cg/kubepods/memory.current': '900\n',
        '/cg/kubepods/memory.max': '1000\n',
        '/cg/kubepods/memory.stat': 'inactive_file 200\n',
      },
      used: 600 * 1024,
    },
  ])('are read from cgroups of $version', async ({ files, used }) => {
    const { memory, systemContainers } = await readNodeFigures(source(files));
    expect(memory).toMatchObject({ workingSetBytes: used, availableBytes: 1000 * 1024 - used });
    expect(systemContainers?.[0]).toMatchObject({
      name: 'pods',
      memory: { workingSetBytes: 700, availableBytes: 300 },
    });
  });

  it.each(['9223372036854771712\n', 'max\n'])(
    'know nothing of what pods have left under a limit of %s',
    async (limit) => {
      const files = { '/cg/kubepods/memory.current': '900\n', '/cg/kubepods/memory.max': limit };
      const { systemContainers } = await readNodeFigures(source(files));
      expect(systemContainers?.[0]?.memory).toEqual({ time: '1970-01-01T00:00:00.000Z', workingSetBytes: 900 });
    },
  );

  it('are of each file system, and of the lower of the limits on processes', async () => {
    const { fs, runtime, rlimit } = await readNodeFigures(source({}));
    expect([fs?.availableBytes, runtime?.imageFs?.availableBytes, runtime?.containerFs?.availableBytes]).toEqual([
      10, 20, 20,
    ]);
    expect(rlimit).toMatchObject({ maxpid: 32_768, curproc: 457 });
  });

  it('lack what a host does not say', async () => {
    const silent = source({}, { host: { read: () => undefined, fileSystem: async () => undefined } });
    const { memory, fs, runtime, rlimit } = await readNodeFigures(silent);
    expect([memory, fs, runtime, rlimit]).toEqual([
      undefined,
      undefined,
      { imageFs: undefined, containerFs: undefined },
      undefined,
    ]);
  });

  it('tell how files are spread', async () => {
    expect(await readFileSystems(source({}))).toBe('image');
    const mounts = { images: '/images', containers: '/root' };
    expect(await readFileSystems(source({}, { imageMounts: () => Promise.resolve(mounts) }))).toBe('split');
    expect(await readFileSystems(source({}, { imageMounts: () => Promise.resolve({}) }))).toBe('single');
  });
});
