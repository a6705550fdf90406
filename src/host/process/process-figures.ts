import { MetricFamilies } from '../../metrics/metric-families.ts';
import type { HostReader } from '../machine-facts.ts';

export interface ProcessReads {
  readonly host: Pick<HostReader, 'read' | 'list'>;
  readonly residentBytes: number;
  /** When this process started, in milliseconds since 1970. */
  readonly startedAtMs: number;
}

/** Linux counts a process's CPU time in hundredths of a second, whatever its own clock. */
const TICKS_PER_SECOND = 100;
/** The Go client's number for a limit that is `unlimited`. */
const UNLIMITED = 2 ** 64;

/**
 * Returns the process metrics of the Prometheus clients as text. They are read for each scrape. A figure that the
 * kernel does not give is left out.
 */
export function processMetricsText({ host, residentBytes, startedAtMs }: ProcessReads): string {
  const families = new MetricFamilies();
  const add = (
    type: 'counter' | 'gauge',
    name: string,
    { help, value }: { help: string; value: number | undefined },
  ) => {
    if (value === undefined || Number.isNaN(value)) return;
    const family = { name: `process_${name}`, help };
    if (type === 'counter') families.counter(family).add([], value);
    else families.gauge(family).set(value);
  };
  const stat = statIn(host.read('/proc/self/stat') ?? '');
  const limits = host.read('/proc/self/limits') ?? '';
  const openFiles = host.list('/proc/self/fd').length;
  const octets = octetsIn(host.read('/proc/self/net/netstat') ?? '');
  add('counter', 'cpu_seconds_total', {
    help: 'CPU time of the process in user and system mode, in seconds.',
    value: stat?.cpuSeconds,
  });
  add('gauge', 'resident_memory_bytes', { help: 'Resident memory of the process, in bytes.', value: residentBytes });
  add('gauge', 'virtual_memory_bytes', { help: 'Virtual memory of the process, in bytes.', value: stat?.virtualBytes });
  add('gauge', 'virtual_memory_max_bytes', {
    help: 'Limit of virtual memory of the process, in bytes.',
    value: softLimitIn(limits, 'Max address space'),
  });
  add('gauge', 'open_fds', { help: 'Open files of the process.', value: openFiles === 0 ? undefined : openFiles });
  add('gauge', 'max_fds', {
    help: 'Limit of open files of the process.',
    value: softLimitIn(limits, 'Max open files'),
  });
  add('gauge', 'start_time_seconds', {
    help: 'Start of the process, in seconds since 1970.',
    value: startedAtMs / 1000,
  });
  add('counter', 'network_receive_bytes_total', {
    help: "Bytes that the process's network namespace received.",
    value: octets?.received,
  });
  add('counter', 'network_transmit_bytes_total', {
    help: "Bytes that the process's network namespace sent.",
    value: octets?.sent,
  });
  return families.text();
}

/** Returns the figures in `/proc/<pid>/stat`. Its second field, the program's name, may contain anything. */
export function statIn(text: string): { readonly cpuSeconds: number; readonly virtualBytes: number } | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // The third field of the file is the first of these.
  const at = (field: number): number => Number(fields[field - 3]);
  return fields.length < 21 ? undefined : { cpuSeconds: (at(14) + at(15)) / TICKS_PER_SECOND, virtualBytes: at(23) };
}

function softLimitIn(limits: string, name: string): number | undefined {
  const line = limits.split('\n').find((each) => each.startsWith(`${name} `));
  const soft = line?.slice(name.length).trim().split(/\s+/, 1)[0];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? UNLIMITED : Number(soft);
}

/** Returns the bytes in `/proc/<pid>/net/netstat`: a line of names, then a line of values. */
function octetsIn(netstat: string): { readonly received: number; readonly sent: number } | undefined {
  const [names = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('IpExt: '))
    .map((line) => line.split(' '));
  const [received, sent] = ['InOctets', 'OutOctets'].map((name) => Number(values[names.indexOf(name)]));
  return received === undefined || sent === undefined ? undefined : { received, sent };
}
