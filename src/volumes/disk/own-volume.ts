import { OpenDirectory } from './open-directory.ts';
import { readable, type VolumeOutcome } from './set-up-volume.ts';
import { giveToGroup } from './volume-ownership.ts';

/** Order to give a volume that a driver has mounted for a pod to the pod's group. */
export interface OwnVolumeOrder {
  readonly type: 'own-volume';
  readonly rootDir: string;
  readonly podUid: string;
  /** Names below the pod's directory. */
  readonly place: readonly string[];
  readonly gid: number;
  readonly policy: 'Always' | 'OnRootMismatch';
}

/** Never rejects. */
export function ownVolume({ rootDir, podUid, place, gid, policy }: OwnVolumeOrder): VolumeOutcome {
  try {
    const volume = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
      root.descendantIfThere(['pods', podUid, ...place]),
    );
    if (volume === undefined) return { ok: false, message: `there is no volume at ${place.join('/')}` };
    OpenDirectory.within(volume, () => giveToGroup(volume, { gid, access: 'read-write', policy }));
    return { ok: true };
  } catch (error) {
    return { ok: false, message: readable(error) };
  }
}
