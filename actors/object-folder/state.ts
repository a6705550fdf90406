import { decodeObjects, type DecodedObject } from '../../src/kube/manifest/decode-objects.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type { ObjectFolderCommand } from './protocol.ts';

interface FileRecord {
  readonly signature: string;
  readonly objects: readonly DecodedObject[];
}

export interface FolderState {
  readonly files: ReadonlyMap<string, FileRecord>;
  /** By `objectKey`. Of two with one name the one in the later file counts, by name. */
  readonly objects: ReadonlyMap<string, DecodedObject>;
}

export const emptyFolder: FolderState = { files: new Map(), objects: new Map() };

export interface FolderDecision {
  readonly next: FolderState;
  /** Keys of objects that have come, changed or gone. */
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}

/** What has changed since the last look. A file that cannot be read as it should keeps what it said before. */
export function looked(
  state: FolderState,
  { files }: Pick<Extract<ObjectFolderCommand, { type: 'looked' }>, 'files'>,
): FolderDecision {
  const problems: string[] = [];
  const records = new Map<string, FileRecord>();
  for (const [name, { signature, text }] of files) {
    const before = state.files.get(name);
    if (text === undefined) {
      if (before !== undefined) records.set(name, before);
      continue;
    }
    const decoded = decodeObjects(text);
    if (!decoded.ok) problems.push(`${name}: ${decoded.problem}`);
    records.set(name, { signature, objects: decoded.ok ? decoded.objects : (before?.objects ?? []) });
  }
  const objects = new Map<string, DecodedObject>();
  for (const name of [...records.keys()].sort()) {
    for (const object of records.get(name)?.objects ?? []) objects.set(objectKey(object), object);
  }
  const keys = new Set([...state.objects.keys(), ...objects.keys()]);
  const changed = [...keys].filter((key) => state.objects.get(key)?.version !== objects.get(key)?.version);
  return { next: { files: records, objects }, changed, problems };
}
