import type { DeviceVolume } from './device-place.ts';
import type { ForeignPlan, PodVolumes, VolumePlan } from './volume-plan.ts';

/** What has to be there before a volume can be made: a claim that can be used; the disk on this node. */
export type LackOfVolume = 'claim' | 'attachment';

export type ForeignOutcome =
  /** Mounted there. `place`: names below the pod's directory of what the node has yet to give to the pod's group. */
  | {
      readonly ok: true;
      readonly type: 'mounted';
      readonly path: string;
      readonly place?: readonly string[];
      /** It is to be asked for again from time to time: its driver wants that, or it may grow. */
      readonly refresh?: boolean;
      readonly driver?: string;
      /** Its driver has just made its file system as large as the volume is now. */
      readonly grown?: true;
    }
  /** It is a block device of this host, which has yet to be mapped for the pod. */
  | {
      readonly ok: true;
      readonly type: 'device';
      readonly volume: DeviceVolume;
      readonly refresh?: boolean;
      readonly driver?: string;
      readonly grown?: true;
    }
  /** It is one of this host's own, to be made so. */
  | { readonly ok: true; readonly type: 'plan'; readonly plan: VolumePlan }
  /** `growing`: it is there, and its driver cannot make it larger. */
  | { readonly ok: false; readonly message: string; readonly lacks?: LackOfVolume; readonly growing?: true };

/** `isMapped`: a device of the pod is still bound and held on this host, which has to end before its driver can be asked. */
export type TakenAway =
  { readonly ok: true } | { readonly ok: false; readonly message: string; readonly isMapped?: boolean };

/** Those who make the volumes of drivers of storage. Both can be repeated at will. Neither rejects while its caller lives. */
export interface ForeignVolumes {
  make(pod: PodVolumes, plan: ForeignPlan): Promise<ForeignOutcome>;
  /** Whatever drivers have made for the pod; whoever asked for it. */
  takeAway(podUid: string): Promise<TakenAway>;
}

/** A node where nobody makes them. */
export const noForeignVolumes: ForeignVolumes = {
  make: (_, { name }) => Promise.resolve({ ok: false, message: `nobody on this node makes the volume ${name}` }),
  takeAway: () => Promise.resolve({ ok: true }),
};
