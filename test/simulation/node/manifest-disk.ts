import type { SavedPods } from '../../../actors/pod-source-file/saved-pods.ts';
import type { ManifestFolder } from '../../../actors/pod-source-file/manifest-folder.ts';
import type { ManifestFiles } from '../../../src/jobs/parse-manifest.ts';
import type { Pod } from '../../../src/kube/pod.ts';

export const MANIFEST_FOLDER = '/etc/hivelet/pods';

/** Last good pods, kept in memory that outlives the agent. */
export function keptInMemory(): SavedPods & { readonly pods: ReadonlyMap<string, Pod> } {
  const pods = new Map<string, Pod>();
  return {
    pods,
    read: () => ({ pods: new Map(pods), problems: [] }),
    keep: (manifest, pod) => void pods.set(manifest, pod),
    drop: (manifest) => void pods.delete(manifest),
  };
}

/** The folder of static pods. The folder outlives the agent. */
export class ManifestDisk implements ManifestFiles {
  readonly #files = new Map<string, { readonly text: Uint8Array; readonly signature: string }>();
  readonly kept = keptInMemory();
  readonly #watchers = new Set<Parameters<ManifestFolder['watch']>[0]>();
  #written = 0;
  /** `false`: the file system reports no changes. */
  watched = true;

  write(path: string, text: string): void {
    const isNew = !this.#files.has(path);
    this.#files.set(path, { text: new TextEncoder().encode(text), signature: String(++this.#written) });
    if (isNew) this.#tell(path, 'entry');
    this.#tell(path, 'content');
  }

  remove(path: string): void {
    if (this.#files.delete(path)) this.#tell(path, 'entry');
  }

  read(path: string): Promise<Uint8Array> {
    const file = this.#files.get(path);
    return file === undefined ? Promise.reject(new Error(`${path} is not there`)) : Promise.resolve(file.text);
  }

  /** The folder for one incarnation of a thread. `later` runs a turn on that thread. */
  folderFor(later: (turn: () => void) => void): ManifestFolder {
    const listing = (pick: (path: string) => boolean): ReadonlyMap<string, string> => {
      const paths = [...this.#files.keys()].filter(pick).sort();
      return new Map(paths.map((path) => [path, this.#files.get(path)?.signature ?? '']));
    };
    return {
      list: () =>
        new Promise((resolve) =>
          later(() =>
            resolve({ ok: true, scope: 'everything', files: listing(() => true), leftOut: new Map(), tooMany: 0 }),
          ),
        ),
      look: (names) =>
        new Promise((resolve) =>
          later(() => {
            const wanted = new Set(names.map((name) => `${MANIFEST_FOLDER}/${name}`));
            const files = listing((path) => wanted.has(path));
            const gone = [...wanted].filter((path) => !files.has(path));
            resolve({ ok: true, scope: 'names', files, gone, leftOut: new Map() });
          }),
        ),
      watch: (changed) => {
        const tell: typeof changed = (name, what) => later(() => changed(name, what));
        this.#watchers.add(tell);
        return () => void this.#watchers.delete(tell);
      },
    };
  }

  /** Drops the watchers of a dead agent. */
  forgetWatchers(): void {
    this.#watchers.clear();
  }

  #tell(path: string, what: 'entry' | 'content'): void {
    const name = path.slice(MANIFEST_FOLDER.length + 1);
    if (this.watched) for (const tell of this.#watchers) tell(name, what);
  }
}
