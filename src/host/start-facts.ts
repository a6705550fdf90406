import type { HostReader } from './machine-facts.ts';

/** Facts of a machine that decide whether a configuration may start on it. */
export interface StartFacts {
  readonly cgroupVersion: 1 | 2;
  /** The files and devices that the kernel swaps to. */
  readonly swaps: readonly string[];
}

export const readStartFacts = (host: Pick<HostReader, 'read'>): StartFacts => ({
  cgroupVersion: readCgroupVersion(host),
  swaps: swapsIn(host.read('/proc/swaps') ?? ''),
});

/** A host with both versions, a controller of version 1 among them, counts as version 1. */
export const readCgroupVersion = (host: Pick<HostReader, 'read'>): 1 | 2 =>
  host.read('/sys/fs/cgroup/cgroup.controllers') === undefined ? 1 : 2;

/**
 * Returns what `/proc/swaps` lists below its head. Compressed memory (zram) counts as swap, as it does for a kubelet.
 */
export function swapsIn(text: string): readonly string[] {
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => line.split(/\s/, 1)[0] ?? '');
}
