import { isEntryOf, type PathKind, type PodFiles } from '../../src/host/pod-files.ts';

/** A host's disk in memory. Directories exist only as prefixes of paths. */
export class FakePodFiles implements PodFiles {
  readonly directories = new Map<string, number>();
  readonly files = new Map<string, { readonly text: string; readonly mode: number }>();
  readonly links = new Map<string, string>();
  readonly kinds = new Map<string, PathKind>();
  readonly removed: string[] = [];
  /** The error of removing a cgroup. */
  busy: string | undefined;
  /** Thrown by whatever writes. */
  full: Error | undefined;

  makeDirectory(path: string, mode: number): void {
    if (this.full !== undefined) throw this.full;
    this.directories.set(path, mode);
  }

  writeFile(path: string, text: string, mode: number): void {
    if (this.full !== undefined) throw this.full;
    this.files.set(path, { text, mode });
  }

  claim(path: string, text: string): boolean {
    if (this.files.has(path)) return false;
    this.writeFile(path, text, 0o600);
    return true;
  }

  list(directory: string): readonly string[] {
    const inside = `${directory}/`;
    return [...this.files.keys()].filter((path) => path.startsWith(inside)).map((path) => path.slice(inside.length));
  }

  read(path: string): string | undefined {
    return this.files.get(path)?.text;
  }

  readShared(path: string): string | undefined {
    return this.read(path);
  }

  readTail(path: string, bytes: number): string | undefined {
    return this.files.get(path)?.text.slice(-bytes);
  }

  kindOf(path: string): PathKind | undefined {
    return this.kinds.get(path);
  }

  link(target: string, path: string): void {
    this.links.set(path, target);
  }

  removeEntry(directory: string, name: string): void {
    if (!isEntryOf(directory, name)) throw new Error(`refusing to remove ${directory} ${name}`);
    this.removed.push(`${directory}/${name}`);
  }
}
