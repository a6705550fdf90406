import { describe, expect, it } from 'vitest';
import { hostReader } from '../../../src/host/host-reader.ts';
import { processMetricsText } from '../../../src/host/process/process-figures.ts';

const FILES: Readonly<Record<string, string>> = {
  '/proc/self/stat':
    '24132 (a) b) S 24104 24104 3891 0 -1 4194304 98 0 0 0 1250 50 0 0 20 0 11 0 1665158 3133440 389 18446744073709551615 1 1\n',
  '/proc/self/limits':
    'Limit                     Soft Limit           Hard Limit           Units\n' +
    'Max open files            20000                524288               files\n' +
    'Max address space         unlimited            unlimited            bytes\n',
  '/proc/self/net/netstat': 'TcpExt: A B\nTcpExt: 1 2\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 7000 900\n',
};

/** The metrics by name, with these files and open files. */
function shown(files: Readonly<Record<string, string>>, open: readonly string[]): Readonly<Record<string, string>> {
  const host = { read: (path: string) => files[path], list: () => open };
  const lines = processMetricsText({ host, residentBytes: 4096, startedAtMs: 1_700_000_000_500 }).split('\n');
  return Object.fromEntries(
    lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(' ')),
  );
}

describe('the process metrics', () => {
  it('are those of the Go client, with its units', () => {
    expect(shown(FILES, ['0', '1', '2'])).toEqual({
      process_cpu_seconds_total: '13',
      process_resident_memory_bytes: '4096',
      process_virtual_memory_bytes: '3133440',
      process_virtual_memory_max_bytes: '18446744073709552000',
      process_open_fds: '3',
      process_max_fds: '20000',
      process_start_time_seconds: '1700000000.5',
      process_network_receive_bytes_total: '7000',
      process_network_transmit_bytes_total: '900',
    });
  });

  it.each([
    { rule: '/proc is missing', files: {} },
    {
      rule: 'the files are cut',
      files: {
        '/proc/self/stat': '1 (x) S 1',
        '/proc/self/limits': 'Limit',
        '/proc/self/net/netstat': 'IpExt: InOctets',
      },
    },
  ])('have no zero for what is not known: $rule', ({ files }) => {
    expect(shown(files, [])).toEqual({
      process_resident_memory_bytes: '4096',
      process_start_time_seconds: '1700000000.5',
    });
  });

  it('are all read on this machine', () => {
    const text = processMetricsText({ host: hostReader, residentBytes: 1, startedAtMs: 1 });
    expect(text.match(/^# TYPE /gm)).toHaveLength(9);
    expect(text).not.toMatch(/NaN|undefined| 0$/m);
  });
});
