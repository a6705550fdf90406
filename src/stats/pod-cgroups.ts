import { podCgroupFolders } from '../node/cgroup-path.ts';
import type { NodeFacts } from '../node/node-facts.ts';
import { cgroupFile, type CgroupSource } from './cgroup-figures.ts';
import type { StatsHost } from './stats-host.ts';

/**
 * Where the cgroups of pods and of their containers are, by looking: of a pod that only the runtime knows nobody can say
 * its class, and what a runtime calls a container's cgroup is its own matter.
 */
export class PodCgroups {
  readonly #host: StatsHost;
  readonly #source: CgroupSource;
  readonly #pods = new Map<string, string>();

  /** Looks once, at this moment. */
  constructor(host: StatsHost, source: CgroupSource, node: NodeFacts) {
    this.#host = host;
    this.#source = source;
    for (const folder of podCgroupFolders(node)) {
      for (const name of host.list(this.#folder(folder))) {
        const uid = /(?:^|-)pod([0-9a-zA-Z_-]+?)(?:\.slice)?$/.exec(name)?.[1];
        if (uid !== undefined) this.#pods.set(plainUid(uid), `${folder === '/' ? '' : folder}/${name}`);
      }
    }
  }

  pathOf(uid: string): string | undefined {
    return this.#pods.get(plainUid(uid));
  }

  /** By the runtime's ID. */
  containersOf(uid: string): ReadonlyMap<string, string> {
    const pod = this.pathOf(uid);
    const found = new Map<string, string>();
    if (pod === undefined) return found;
    for (const name of this.#host.list(this.#folder(pod))) {
      const id = /([0-9a-f]{64})(?:\.scope)?$/.exec(name)?.[1];
      if (id !== undefined) found.set(id, `${pod}/${name}`);
    }
    return found;
  }

  #folder(path: string): string {
    return cgroupFile(this.#source, path, ['memory', '']).replace(/\/$/, '');
  }
}

/** A slice cannot hold the dashes of a UID. */
const plainUid = (uid: string): string => uid.replaceAll('_', '-');
