import { dirname } from 'node:path';
import type { CsiFiles } from '../../src/csi/csi-files.ts';

/** A disk in memory, for one test: files by path, and directories. */
export class MemoryCsiFiles implements CsiFiles {
  readonly files = new Map<string, string>();
  readonly directories = new Set<string>();

  makeDirectory(path: string): void {
    for (let each = path; each !== '/' && each !== '.'; each = dirname(each)) this.directories.add(each);
  }

  write(path: string, text: string): void {
    if (!this.directories.has(dirname(path))) throw new Error(`ENOENT: no such directory, ${dirname(path)}`);
    this.files.set(path, text);
  }

  read(path: string): string | undefined {
    return this.files.get(path);
  }

  link(path: string, target: string): void {
    this.write(path, `-> ${target}`);
  }

  readLink(path: string): string | undefined {
    const text = this.files.get(path);
    return text?.startsWith('-> ') === true ? text.slice(3) : undefined;
  }

  list(directory: string): readonly string[] {
    const inside = [...this.files.keys(), ...this.directories].filter((path) => dirname(path) === directory);
    return inside.map((path) => path.slice(directory.length + 1)).sort();
  }

  removeFile(path: string): void {
    this.files.delete(path);
  }

  removeIfEmpty(directory: string): void {
    if (this.list(directory).length === 0) this.removeEmpty(directory);
  }

  removeEmpty(directory: string): void {
    if (this.list(directory).length > 0) throw new Error(`ENOTEMPTY: directory not empty, ${directory}`);
    this.directories.delete(directory);
  }
}
