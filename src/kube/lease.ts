import type { ObjectMeta } from './pod.ts';

/** The fields of a Lease (coordination.k8s.io/v1) that a node uses. */
export interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: Omit<ObjectMeta, 'uid' | 'ownerReferences'> & {
    readonly uid?: string;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    readonly renewTime?: string;
    readonly [other: string]: unknown;
  };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}
