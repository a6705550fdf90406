import { podCgroupFolders } from '../node/resources/cgroup-path.ts';
import type { NodeFacts } from '../node/object/node-facts.ts';
import { cgroupFile, type CgroupSource } from './cgroup-figures.ts';
import type { StatsHost } from './stats-host.ts';

/**
 * Finds the cgroups of pods and containers on disk. The QoS class of a pod that only the runtime knows is unknown,
 * and runtimes name container cgroups as they like.
 */
export class PodCgroups {
  readonly #host: StatsHost;
  readonly #source: CgroupSource;
  readonly #pods = new Map<string, string>();

  /** Scans once, at this moment. */
  constructor(host: StatsHost, source: CgroupSource, node: NodeFacts) {
    this.#host = host;
    this.#source = source;
    for (const folder of podCgroupFolders(node)) {
      for (const name of host.list(this.#folder(folder))) {
        const uid = uidIn(name);
        if (uid !== undefined) this.#pods.set(plainUid(uid), `${folder === '/' ? '' : folder}/${name}`);
      }
    }
  }

  pathOf(uid: string): string | undefined {
    return this.#pods.get(plainUid(uid));
  }

  /** Keyed by the runtime's container ID. */
  containersOf(uid: string): ReadonlyMap<string, string> {
    const pod = this.pathOf(uid);
    const found = new Map<string, string>();
    if (pod === undefined) return found;
    for (const name of this.#host.list(this.#folder(pod))) {
      const id = without(name, '.scope').slice(-CONTAINER_ID_LENGTH);
      if (/^[0-9a-f]{64}$/.test(id)) found.set(id, `${pod}/${name}`);
    }
    return found;
  }

  #folder(path: string): string {
    return cgroupFile(this.#source, path, ['memory', '']).replace(/\/$/, '');
  }
}

const CONTAINER_ID_LENGTH = 64;

const without = (name: string, ending: string): string =>
  name.endsWith(ending) ? name.slice(0, -ending.length) : name;

/** From `pod<uid>`, or a slice such as `kubepods-burstable-pod<uid>.slice`. */
function uidIn(name: string): string | undefined {
  const path = without(name, '.slice');
  let start = path.length;
  while (start > 0 && /[0-9a-zA-Z_-]/.test(path.charAt(start - 1))) start -= 1;
  const part = path.slice(start);
  const at = start === 0 && part.startsWith('pod') ? 0 : part.indexOf('-pod') + 1;
  const uid = part.startsWith('pod', at) ? part.slice(at + 'pod'.length) : '';
  // In the middle of a name, `pod` follows a dash.
  return uid === '' || (at === 0 && start > 0) ? undefined : uid;
}

/** A slice name cannot contain the dashes of a UID. */
const plainUid = (uid: string): string => uid.replaceAll('_', '-');
