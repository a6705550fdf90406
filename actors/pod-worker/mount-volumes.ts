import type { Pod, Volume } from '../../src/kube/pod.ts';
import type { PathKind } from '../../src/node/pod-files.ts';
import type { Round } from './round.ts';

/**
 * Sees to it that the pod's volumes are there. False: one is not, the round has been told why, and nothing may be started.
 * Only host paths are mounted so far; a pod with any other volume waits rather than run without its data.
 */
export function mountVolumes(round: Round): boolean {
  const { pod, tools } = round;
  for (const volume of pod.spec.volumes ?? []) {
    const problem = hostPathOf(volume) === undefined ? notSupported(volume) : prepareHostPath(round, volume);
    if (problem === undefined) continue;
    const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${problem}`;
    tools.event({ type: 'Warning', reason: 'FailedMount', message });
    round.podFailed(message);
    return false;
  }
  return true;
}

/** Whether the pod asks for a volume at all; most do not. */
export const hasVolumes = ({ spec }: Pod): boolean => (spec.volumes?.length ?? 0) > 0;

function notSupported(volume: Volume): string {
  const kind = Object.keys(volume).find((member) => member !== 'name' && volume[member] !== undefined) ?? 'emptyDir';
  return `${kind}: volumes of this kind are not supported yet`;
}

interface HostPath {
  readonly path: string;
  readonly type: string;
}

function hostPathOf(volume: Volume): HostPath | undefined {
  const source = volume['hostPath'];
  if (typeof source !== 'object' || source === null) return undefined;
  const { path, type } = source as { readonly path?: unknown; readonly type?: unknown };
  if (typeof path !== 'string') return undefined;
  return { path, type: typeof type === 'string' ? type : '' };
}

/** What each type of host path must be, what it is called in the message, and how it is made where it may be. */
const TYPES: Readonly<Record<string, { readonly kind: PathKind; readonly called: string; readonly make?: true }>> = {
  Directory: { kind: 'directory', called: 'a directory' },
  DirectoryOrCreate: { kind: 'directory', called: 'a directory', make: true },
  File: { kind: 'file', called: 'a file' },
  FileOrCreate: { kind: 'file', called: 'a file', make: true },
  Socket: { kind: 'socket', called: 'a socket file' },
  CharDevice: { kind: 'character-device', called: 'a character device' },
  BlockDevice: { kind: 'block-device', called: 'a block device' },
};

function prepareHostPath({ tools: { files } }: Round, volume: Volume): string | undefined {
  const { path = '', type = '' } = hostPathOf(volume) ?? {};
  if (type === '') return undefined;
  const wanted = TYPES[type];
  if (wanted === undefined) return `hostPath type check failed: ${type} is not a type of host path`;
  try {
    const found = files.kindOf(path);
    if (found === undefined && wanted.make === true) {
      if (wanted.kind === 'directory') files.makeDirectory(path, 0o755);
      else files.writeFile(path, '', 0o644);
      return undefined;
    }
    return found === wanted.kind ? undefined : `hostPath type check failed: ${path} is not ${wanted.called}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
