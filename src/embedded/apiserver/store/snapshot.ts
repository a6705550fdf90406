import { errorCode } from '../../../kube/text/error-code.ts';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../actor/clock.ts';
import type { ApiCore } from './api-core.ts';
import type { ApiObject } from './api-object.ts';
import type { KeyPair } from '../subresources/certificate-authority.ts';

/** The state that a server leaves in its folder for the next one. */
export interface Snapshot {
  readonly revision: number;
  /** By collection. */
  readonly objects: Readonly<Record<string, readonly ApiObject[]>>;
}

const OBJECTS = 'objects.json';
const AUTHORITY = 'authority.json';
const EVERY_MS = 5_000;

/** Written to a temporary file and renamed: a server that dies while writing leaves the last complete file. */
function writeWhole(folder: string, name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

/** `undefined` when there is none. Throws for an unreadable file: a user's data must not be overwritten. */
function readWhole(folder: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text);
}

// Both were written by this program, into a folder that only its user can write to.
export const readAuthority = (folder: string): KeyPair | undefined =>
  // This program wrote it.
  readWhole(folder, AUTHORITY) as KeyPair | undefined;
export const readSnapshot = (folder: string): Snapshot | undefined =>
  // This program wrote it.
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
 * Writes the server's state every few seconds if it has changed, and once more at the stop. Writes in between are
 * lost if the server dies.
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
      failed(error); // the next attempt may succeed, for example after a full disk
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
