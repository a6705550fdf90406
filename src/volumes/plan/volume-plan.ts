import type { ObjectData, ObjectRef } from './object-data.ts';

/**
 * What one pod wants of the volume manager: the volumes that its containers mount, with all that making them needs and
 * nothing else of the pod. Plain data: it crosses threads once a change.
 */
export interface PodVolumes {
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly volumes: readonly VolumePlan[];
  /** `fsGroup`: which group the volumes of the pod belong to. */
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy: 'Always' | 'OnRootMismatch';
}

export type VolumePlan = EmptyDirPlan | HostPathPlan | LocalPlan | FilesPlan | RefusedPlan | ForeignPlan;

/** Volumes that others than the workshop make: drivers of storage. */
export type ForeignPlan = ClaimPlan | CsiPlan;

export interface EmptyDirPlan {
  readonly type: 'empty-dir';
  readonly name: string;
  readonly medium: 'disk' | 'memory' | 'huge-pages';
  /** In memory: at most so many bytes. */
  readonly sizeBytes?: number;
  /** Of huge pages, as the kernel writes it: `2M`. */
  readonly pageSize?: string;
}

export interface HostPathPlan {
  readonly type: 'host-path';
  readonly name: string;
  readonly path: string;
  /** The `type` of the API; empty for no check. */
  readonly check: string;
}

/** A directory of this node that a PersistentVolume names: bound to a place of the pod's own. */
export interface LocalPlan {
  readonly type: 'local';
  readonly name: string;
  /** Of the PersistentVolume. */
  readonly specName: string;
  readonly path: string;
}

/** What a PersistentVolumeClaim is bound to. */
export interface ClaimPlan {
  readonly type: 'claim';
  readonly name: string;
  readonly claim: string;
  /** The claim is the pod's own (generic ephemeral volume, KEP-1698). */
  readonly ephemeral: boolean;
  readonly readOnly: boolean;
  /** Some container wants it as a block device. */
  readonly asDevice: boolean;
  readonly serviceAccount: string;
}

/** A volume of a CSI driver that lives and dies with its pod (KEP-596). */
export interface CsiPlan {
  readonly type: 'csi';
  readonly name: string;
  readonly driver: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly publishSecret?: string;
  readonly serviceAccount: string;
}

export const isForeign = (plan: VolumePlan): plan is ForeignPlan => plan.type === 'claim' || plan.type === 'csi';

/** A volume whose content is written by the node, from objects and from the pod itself. */
export interface FilesPlan {
  readonly type: 'files';
  readonly name: string;
  readonly plugin: FilesPlugin;
  readonly sources: readonly FilesSource[];
  readonly defaultMode: number;
  /** Where tmpfs is to hold it; undefined: on the disk. */
  readonly memoryBytes?: number;
}

export type FilesPlugin = 'configmap' | 'secret' | 'downward-api' | 'projected';

/** A volume that cannot be made, whatever happens; the pod is told why. */
export interface RefusedPlan {
  readonly type: 'refused';
  readonly name: string;
  readonly message: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export type FilesSource =
  | {
      readonly type: 'object';
      readonly ref: ObjectRef;
      readonly optional: boolean;
      /** Undefined: every key under its own name. */
      readonly items?: readonly KeyToPath[];
    }
  /** Of the downward API, worked out already. */
  | { readonly type: 'text'; readonly path: string; readonly text: string; readonly mode?: number }
  | {
      readonly type: 'token';
      readonly path: string;
      readonly audience: string;
      readonly expirationSeconds: number;
      readonly serviceAccount: string;
      /** The one user all containers run as. */
      readonly uid?: number;
    }
  | {
      readonly type: 'trust-bundle';
      readonly path: string;
      /** Where there is none, the file is empty. */
      readonly optional: boolean;
      readonly of: BundleRequest;
    }
  /** Of the pod itself, with its key (KEP-4317). */
  | {
      readonly type: 'certificate';
      readonly signerName: string;
      readonly keyType: string;
      readonly maxExpirationSeconds?: number;
      readonly userAnnotations?: Readonly<Record<string, string>>;
      /** Where the key and the certificates go: together in one file, or each in one of its own. */
      readonly bundlePath?: string;
      readonly keyPath?: string;
      readonly chainPath?: string;
      readonly serviceAccount: string;
      /** The one user all containers run as. */
      readonly uid?: number;
    }
  | { readonly type: 'refused'; readonly message: string };

/** ClusterTrustBundles (KEP-3257): one by its name, or all of a signer that a selector picks; without one, none is picked. */
export type BundleRequest =
  | { readonly name: string }
  /** `labels`: as it stands in a query; empty: all. */
  | { readonly signerName: string; readonly labels: string | undefined };

/** What was fetched for a source, in the order of the sources; undefined where nothing has to be. */
export type FetchedSource =
  | undefined
  | { readonly type: 'object'; readonly data: ObjectData }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'trust-bundle'; readonly pem: string }
  /** Both in PEM. */
  | { readonly type: 'certificate'; readonly key: string; readonly chain: string }
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

/** The objects a pod's volumes are made of: who wants to know when they change. */
export function objectsOf(pod: PodVolumes): readonly ObjectRef[] {
  return pod.volumes.flatMap((volume) =>
    volume.type === 'files' ? volume.sources.flatMap((source) => (source.type === 'object' ? [source.ref] : [])) : [],
  );
}
