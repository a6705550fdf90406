import type { Pod } from '../../kube/pod.ts';
import type { PodFiles } from '../../host/pod-files.ts';
import type { UserNamespaceIds } from '../cri-config/namespaces.ts';
import { podDir } from '../values/pod-paths.ts';

/** The ids of one block (KEP-127). The very first block is the host's own. */
const IDS_PER_POD = 65_536;
const BLOCKS = 4_096;

type Files = Pick<PodFiles, 'claim' | 'list' | 'makeDirectory' | 'read' | 'removeEntry' | 'writeFile'>;

interface Place {
  readonly rootDir: string;
  readonly uid: string;
}

const fileOf = ({ rootDir, uid }: Place): string => `${podDir(rootDir, uid)}/userns`;
const blocksDir = (rootDir: string): string => `${rootDir}/userns-blocks`;

export const hasOwnUsers = ({ spec }: Pod): boolean => spec.hostUsers === false;

/**
 * Returns the pod's block of host ids. A block recorded in the pod's directory, by this agent or by a kubelet, is used
 * again; otherwise a free block is claimed. A claim is a file named after the block, which only one of several
 * concurrent workers can create, on any thread. A worker that crashed in between finds its own claim again. `undefined`
 * when no block is free.
 */
export function userNamespaceIds(files: Files, place: Place): UserNamespaceIds | undefined {
  const known = writtenIds(files.read(fileOf(place)));
  if (known !== undefined) return known;
  const { rootDir, uid } = place;
  files.makeDirectory(blocksDir(rootDir), 0o700);
  const first = startOf(uid);
  for (let tried = 0; tried < BLOCKS; tried++) {
    const block = (first + tried) % BLOCKS;
    const path = `${blocksDir(rootDir)}/${block}`;
    if (!files.claim(path, uid) && files.read(path) !== uid) continue;
    const ids = { firstHostId: (block + 1) * IDS_PER_POD, length: IDS_PER_POD };
    files.makeDirectory(podDir(rootDir, uid), 0o750);
    files.writeFile(fileOf(place), textOf(ids), 0o600);
    return ids;
  }
  return undefined;
}

/** Frees the pod's block. Call this before the pod's directory is removed. */
export function releaseUserNamespace(files: Files, place: Place): void {
  const ids = writtenIds(files.read(fileOf(place)));
  if (ids === undefined) return;
  const block = String(ids.firstHostId / IDS_PER_POD - 1);
  // A block assigned by a kubelet may never have been claimed here; the claim may be another pod's.
  if (files.read(`${blocksDir(place.rootDir)}/${block}`) === place.uid)
    files.removeEntry(blocksDir(place.rootDir), block);
}

/** Pods begin their search in different places, so that they seldom collide. */
function startOf(uid: string): number {
  let sum = 0;
  for (const char of uid) sum = (sum * 31 + char.charCodeAt(0)) % BLOCKS;
  return sum;
}

/** The kubelet's format. */
function textOf({ firstHostId, length }: UserNamespaceIds): string {
  const mapping = [{ hostId: firstHostId, containerId: 0, length }];
  return JSON.stringify({ uidMappings: mapping, gidMappings: mapping });
}

function writtenIds(text: string | undefined): UserNamespaceIds | undefined {
  if (text === undefined) return undefined;
  try {
    // Both members are checked below; any other text throws, and counts as none.
    const { uidMappings } = JSON.parse(text) as { uidMappings?: readonly { hostId?: unknown; length?: unknown }[] };
    const [{ hostId, length } = {}] = uidMappings ?? [];
    const isUsable = typeof hostId === 'number' && typeof length === 'number' && hostId >= IDS_PER_POD && length > 0;
    return isUsable ? { firstHostId: hostId, length } : undefined;
  } catch {
    // The file was cut off while it was written. The claim holds the same information.
    return undefined;
  }
}
