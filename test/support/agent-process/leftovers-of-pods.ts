import { readdir } from 'node:fs/promises';
import { readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cgroupsNamed } from '../containerd/cgroups-named.ts';
import type { NodeUnderTest } from './node-under-test.ts';
import { listRuntime } from './runtime-view.ts';

/** Everything on the node that belongs to pods, by kind. All lists are empty for a node without pods. */
export interface PodLeftovers {
  readonly sandboxes: readonly string[];
  readonly containers: readonly string[];
  readonly podDirectories: readonly string[];
  readonly logDirectories: readonly string[];
  /** Paths below /sys/fs/cgroup that name one of `uids`. */
  readonly cgroups: readonly string[];
  /** Ends of pods' network links at the bridge. */
  readonly links: readonly string[];
}

export const NOTHING: PodLeftovers = {
  sandboxes: [],
  containers: [],
  podDirectories: [],
  logDirectories: [],
  cgroups: [],
  links: [],
};

/** `uids`: the pods whose cgroups are searched. Cgroups of other agents on this machine are ignored. */
export async function thingsOfPods({ runtime, folder }: NodeUnderTest, uids: readonly string[]): Promise<PodLeftovers> {
  const { sandboxes, containers } = await listRuntime(runtime.cri);
  return {
    sandboxes: sandboxes.map(({ metadata, id }) => `${metadata?.name} ${id}`),
    containers: containers.map(({ metadata, id }) => `${metadata?.name} ${id}`),
    podDirectories: await namesIn(join(folder.rootDir, 'pods')),
    logDirectories: await namesIn(folder.podLogs),
    cgroups: runtime.containerd === undefined ? [] : cgroupsNamed(...uids),
    links: runtime.containerd === undefined ? [] : linksAt(runtime.containerd.bridge),
  };
}

const namesIn = (dir: string): Promise<readonly string[]> => readdir(dir).catch(() => []);

function linksAt(bridge: string): readonly string[] {
  const net = '/sys/class/net';
  return readdirSync(net).filter((name) => {
    try {
      return basename(readlinkSync(join(net, name, 'master'))) === bridge;
    } catch {
      return false;
    }
  });
}
