import type { LogChange, LogFile, LogFiles } from '../../src/serving/logs/log-files.ts';

interface Content {
  readonly identity: string;
  bytes: Buffer;
}

/** Log files in memory, with rotation. */
export class MemoryLogFiles implements LogFiles {
  readonly #files = new Map<string, Content>();
  readonly #watchers = new Set<(what: LogChange) => void>();
  #made = 0;
  /** How many are open at this moment. */
  opened = 0;
  /** Bytes that were read from all of them. */
  read = 0;
  /** What happens to the files right after each read, which got so many bytes. */
  onRead: (bytes: number) => void = () => {};

  append(path: string, text: string, told: LogChange = 'name'): void {
    const content = this.#files.get(path) ?? { identity: String(++this.#made), bytes: Buffer.alloc(0) };
    content.bytes = Buffer.concat([content.bytes, Buffer.from(text)]);
    this.#files.set(path, content);
    this.#tell(told);
  }

  /** Renames the file; later writes go to a new file. The returned function still writes to the old file. */
  rotate(path: string): (text: string) => void {
    const old = this.#files.get(path);
    this.#files.delete(path);
    this.#tell();
    return (text) => {
      if (old !== undefined) old.bytes = Buffer.concat([old.bytes, Buffer.from(text)]);
    };
  }

  truncate(path: string): void {
    const content = this.#files.get(path);
    if (content !== undefined) content.bytes = Buffer.alloc(0);
    this.#tell();
  }

  open(path: string): Promise<LogFile | undefined> {
    const content = this.#files.get(path);
    if (content === undefined) return Promise.resolve(undefined);
    this.opened++;
    return Promise.resolve({
      identity: content.identity,
      size: () => Promise.resolve(content.bytes.length),
      read: (buffer, position) => {
        const got = content.bytes.subarray(position).copy(buffer);
        this.read += got;
        if (got > 0) this.onRead(got);
        return Promise.resolve(got);
      },
      close: () => {
        this.opened--;
        return Promise.resolve();
      },
    });
  }

  watch(_path: string, changed: (what: LogChange) => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  get watched(): number {
    return this.#watchers.size;
  }

  #tell(what: LogChange = 'name'): void {
    for (const changed of this.#watchers) changed(what);
  }
}
