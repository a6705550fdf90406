import type { DeviceVolume } from './device-place.ts';
import type { DriverVolumePlan, PodVolumes, VolumePlan } from './volume-plan.ts';

/** The missing part of a volume: a usable claim, or the disk's attachment to this node. */
export type MissingForVolume = 'claim' | 'attachment';

export type DriverVolumeOutcome =
  /**
   * The volume is mounted. `place`: names below the pod's directory that the node must still give to the pod's group.
   */
  | {
      readonly ok: true;
      readonly type: 'mounted';
      readonly path: string;
      readonly place?: readonly string[];
      /**
       * `true` if the volume must be set up again from time to time, because its driver asks for that or it may grow.
       */
      readonly refresh?: boolean;
      readonly driver?: string;
      /** Present when the driver has just expanded the file system to the volume's size. */
      readonly grown?: true;
    }
  /** The volume is a block device of this host, still to be mapped for the pod. */
  | {
      readonly ok: true;
      readonly type: 'device';
      readonly volume: DeviceVolume;
      readonly refresh?: boolean;
      readonly driver?: string;
      readonly grown?: true;
    }
  /** The volume is one of this host's own kinds, to be set up by this plan. */
  | { readonly ok: true; readonly type: 'plan'; readonly plan: VolumePlan }
  /** `growing`: the volume is present, and its driver cannot expand it. */
  | { readonly ok: false; readonly message: string; readonly lacks?: MissingForVolume; readonly growing?: true };

/** `isMapped`: a device of the pod is still bound and held on this host. That must end before its driver is called. */
export type DriverVolumeRemoval =
  { readonly ok: true } | { readonly ok: false; readonly message: string; readonly isMapped?: boolean };

/**
 * Sets up and removes the volumes of storage drivers. Both calls may be repeated. Neither rejects while its caller
 * lives.
 */
export interface DriverVolumeCalls {
  make(pod: PodVolumes, plan: DriverVolumePlan): Promise<DriverVolumeOutcome>;
  /** Removes all volumes that drivers have set up for the pod, no matter which agent asked for them. */
  takeAway(podUid: string): Promise<DriverVolumeRemoval>;
}

/** For a node without storage drivers. */
export const noDriverVolumes: DriverVolumeCalls = {
  make: (_, { name }) =>
    Promise.resolve({ ok: false, message: `no plugin on this node can set up the volume ${name}` }),
  takeAway: () => Promise.resolve({ ok: true }),
};
