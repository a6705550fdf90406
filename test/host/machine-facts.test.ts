import { describe, expect, it } from 'vitest';
import { readMachineFacts, type HostReader } from '../../src/host/machine-facts.ts';

const host = (files: Readonly<Record<string, string>>, bytes: Readonly<Record<string, bigint>> = {}): HostReader => ({
  read: (path) => files[path],
  list: (directory) => [
    ...new Set(
      Object.keys(files)
        .filter((path) => path.startsWith(`${directory}/`))
        .map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''),
    ),
  ],
  fileSystemBytes: (path) => bytes[path],
  logicalCores: 4,
  kernelVersion: '6.1.0',
  architecture: 'x64',
});

const full = {
  '/etc/machine-id': 'machine\n',
  '/sys/class/dmi/id/product_uuid': 'UUID\n',
  '/proc/sys/kernel/random/boot_id': 'boot\n',
  '/etc/os-release': 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12"\n',
  '/proc/meminfo': 'MemTotal:        1000 kB\nSwapTotal:       20 kB\n',
  '/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages': '1\n',
  '/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '5\n',
};

describe('the facts of a machine', () => {
  it('are read from the kernel and the distribution', () => {
    expect(readMachineFacts(host(full, { '/': 500n }), '/var/lib/kubelet')).toEqual({
      machineId: 'machine',
      systemUuid: 'UUID',
      bootId: 'boot',
      kernelVersion: '6.1.0',
      osImage: 'Debian GNU/Linux 12',
      operatingSystem: 'linux',
      architecture: 'amd64',
      size: {
        logicalCores: 4,
        memoryBytes: 1_024_000n,
        rootFsBytes: 500n,
        hugePages: [
          { pageBytes: 2_097_152n, pages: 5n },
          { pageBytes: 1_073_741_824n, pages: 1n },
        ],
      },
      swapBytes: 20_480n,
    });
  });

  it.each([
    { rule: 'the device tree’s, without its NUL', files: { '/proc/device-tree/vm,uuid': 'vm\0' }, is: 'vm' },
    { rule: 'the machine ID without another ID', files: { '/etc/machine-id': 'machine' }, is: 'machine' },
    { rule: 'none', files: {}, is: '' },
  ])('its UUID is $rule', ({ files, is }) => {
    expect(readMachineFacts(host(files), '/').systemUuid).toBe(is);
  });

  it('have no size when the memory cannot be read', () => {
    const facts = readMachineFacts(host({}), '/');
    expect([facts.size, facts.osImage]).toEqual([undefined, 'Linux']);
  });

  it('count the disk of the root folder, existing or not', () => {
    const size = (rootDir: string) => readMachineFacts(host(full, { '/': 1n, '/data': 2n }), rootDir).size?.rootFsBytes;
    expect([size('/data'), size('/data/deep/er'), size('/other')]).toEqual([2n, 2n, 1n]);
  });
});
