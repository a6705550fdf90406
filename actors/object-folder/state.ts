import { decodeObjects, type DecodedObject } from '../../src/kube/manifest/decode-objects.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type { ObjectFolderReport } from './protocol.ts';

interface FileRecord {
  readonly signature: string;
  readonly objects: readonly DecodedObject[];
}

export interface FolderState {
  readonly files: ReadonlyMap<string, FileRecord>;
  /** By `objectKey`. If two files hold the same object, the file with the later name counts. */
  readonly objects: ReadonlyMap<string, DecodedObject>;
}

export const emptyFolder: FolderState = { files: new Map(), objects: new Map() };

export interface FolderDecision {
  readonly next: FolderState;
  /** Keys of objects that were added, changed or removed. */
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}

/** Compares the files with those of the last read. An invalid file keeps its previous objects. */
export function takeFiles(
  state: FolderState,
  { files }: Pick<Extract<ObjectFolderReport, { type: 'folder-read' }>, 'files'>,
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
