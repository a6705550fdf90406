import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../actor/clock.ts';
import type { ApiCore } from './api-core.ts';
import type { ApiObject } from './api-object.ts';
import type { KeyPair } from '../subresources/certificate-authority.ts';

/** What a server leaves in its folder for the next one. */
export interface Snapshot {
  readonly revision: number;
  /** By where each is stored. */
  readonly objects: Readonly<Record<string, readonly ApiObject[]>>;
}

const OBJECTS = 'objects.json';
const AUTHORITY = 'authority.json';
const EVERY_MS = 5_000;

/** Written beside and moved into place, so that a server that dies while it writes leaves the last whole one. */
function writeWhole(folder: string, name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

/** Undefined if there is none. Throws for one that cannot be read: it is somebody's data. */
function readWhole(folder: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as unknown;
}

// Both were written by this program, into a folder that only its user can write to.
export const readAuthority = (folder: string): KeyPair | undefined =>
  readWhole(folder, AUTHORITY) as KeyPair | undefined;
export const readSnapshot = (folder: string): Snapshot | undefined =>
  readWhole(folder, OBJECTS) as Snapshot | undefined;

export const writeAuthority = (folder: string, { certificate, key }: KeyPair): void =>
  writeWhole(folder, AUTHORITY, { certificate, key });

export function restoreSnapshot(core: ApiCore, { objects }: Snapshot): void {
  for (const [storedAs, all] of Object.entries(objects)) for (const object of all) core.store.restore(storedAs, object);
}

const snapshotOf = (core: ApiCore): Snapshot => ({
  revision: core.store.revision,
  objects: Object.fromEntries(
    [...core.store.collections()].map(([storedAs, collection]) => [storedAs, [...collection.inOrderOfCreation()]]),
  ),
});

/**
 * Writes what the server holds every few seconds, if it has changed, and once more when it is told to stop. What is written
 * in between is lost if the server dies.
 */
export function keepSnapshots(
  core: ApiCore,
  folder: string,
  { clock, failed }: { readonly clock: Clock; readonly failed: (error: unknown) => void },
): () => void {
  let written = -1;
  const write = (): void => {
    const { revision } = core.store;
    if (revision === written) return;
    try {
      writeWhole(folder, OBJECTS, snapshotOf(core));
      written = revision;
    } catch (error) {
      failed(error); // a full disk now may be none later
    }
  };
  let cancel: () => void;
  const arm = (): void => {
    cancel = clock.after(EVERY_MS, () => {
      write();
      arm();
    });
  };
  arm();
  return () => {
    cancel();
    write();
  };
}
