import type { RuntimeFiles } from '../../../src/embedded/runtime/inventory/runtime-files.ts';
import type { PathKind, PodFiles } from '../../../src/host/pod-files.ts';

type Entry = Map<string, Entry> | string;

/** The part of the host's disk with the pods' files. It outlives the agent, as a disk does. */
export class MemoryFiles implements PodFiles, RuntimeFiles {
  readonly #root = new Map<string, Entry>();

  makeDirectory(path: string): void {
    this.#directory(partsOf(path), 'make');
  }

  writeFile(path: string, text: string): void {
    const { directory, name } = this.#place(path);
    directory.set(name, text);
  }

  claim(path: string, text: string): boolean {
    if (this.read(path) !== undefined) return false;
    this.writeFile(path, text);
    return true;
  }

  list(directory: string): readonly string[] {
    const found = this.#find(directory);
    return found instanceof Map ? [...found.keys()] : [];
  }

  read(path: string): string | undefined {
    const found = this.#find(path);
    return typeof found === 'string' ? found : undefined;
  }

  readShared(path: string): string | undefined {
    return this.read(path);
  }

  link(target: string, path: string): void {
    if (this.#find(target) !== undefined) this.writeFile(path, `-> ${target}`);
  }

  removeEntry(directory: string, name: string): void {
    this.#directory(partsOf(directory), 'look')?.delete(name);
  }

  readTail(path: string, bytes: number): string | undefined {
    return this.read(path)?.slice(-bytes);
  }

  kindOf(path: string): PathKind | undefined {
    const found = this.#find(path);
    if (found === undefined) return undefined;
    return found instanceof Map ? 'directory' : 'file';
  }

  createLog(path: string): void {
    if (this.read(path) === undefined) this.writeFile(path, '');
  }

  appendLog(path: string, lines: string): void {
    const before = this.read(path);
    if (before !== undefined) this.writeFile(path, before + lines);
  }

  writeTerminationMessage(path: string, text: string): void {
    // The file is the agent's, bound into the container; without the pod's directory there is no file to write to.
    if (this.read(path) !== undefined) this.writeFile(path, text);
  }

  #place(path: string): { readonly directory: Map<string, Entry>; readonly name: string } {
    const parts = partsOf(path);
    const name = parts.pop() ?? '';
    const directory = this.#directory(parts, 'make');
    if (directory === undefined) throw new Error(`${path} is not in a directory`);
    return { directory, name };
  }

  #directory(parts: readonly string[], how: 'make' | 'look'): Map<string, Entry> | undefined {
    let at = this.#root;
    for (const part of parts) {
      let next = at.get(part);
      if (next === undefined && how === 'make') at.set(part, (next = new Map()));
      if (!(next instanceof Map)) return undefined;
      at = next;
    }
    return at;
  }

  #find(path: string): Entry | undefined {
    const parts = partsOf(path);
    const name = parts.pop();
    return name === undefined ? undefined : this.#directory(parts, 'look')?.get(name);
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');
