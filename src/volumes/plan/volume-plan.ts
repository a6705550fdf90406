import type { ObjectData, ObjectRef } from './object-data.ts';

/**
 * The volume manager's input for one pod: the volumes that its containers mount, with all that setting them up needs
 * and nothing else of the pod. Plain data that crosses threads once per change.
 */
export interface PodVolumes {
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly volumes: readonly VolumePlan[];
  /** `fsGroup`: the group that the pod's volumes belong to. */
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy: 'Always' | 'OnRootMismatch';
}

export type VolumePlan = EmptyDirPlan | HostPathPlan | LocalPlan | FilesPlan | RefusedPlan | DriverVolumePlan;

/** Volumes that storage drivers set up, not the volume executor. */
export type DriverVolumePlan = ClaimPlan | CsiPlan;

export interface EmptyDirPlan {
  readonly type: 'empty-dir';
  readonly name: string;
  readonly medium: 'disk' | 'memory' | 'huge-pages';
  /** The maximum size in memory, in bytes. */
  readonly sizeBytes?: number;
  /** The size of huge pages, as the kernel writes it: `2M`. */
  readonly pageSize?: string;
}

export interface HostPathPlan {
  readonly type: 'host-path';
  readonly name: string;
  readonly path: string;
  /** The `type` of the API; empty for no check. */
  readonly check: string;
}

/** A directory of this node that a PersistentVolume names. It is bound to a place of the pod's own. */
export interface LocalPlan {
  readonly type: 'local';
  readonly name: string;
  /** The name of the PersistentVolume. */
  readonly specName: string;
  readonly path: string;
}

/** The volume that a PersistentVolumeClaim is bound to. */
export interface ClaimPlan {
  readonly type: 'claim';
  readonly name: string;
  readonly claim: string;
  /** `true` if the claim belongs to the pod (generic ephemeral volume, KEP-1698). */
  readonly ephemeral: boolean;
  readonly readOnly: boolean;
  /** `true` if some container uses the volume as a block device. */
  readonly asDevice: boolean;
  readonly serviceAccount: string;
}

/** A CSI volume that is created and deleted with its pod (KEP-596). */
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

export const isForeign = (plan: VolumePlan): plan is DriverVolumePlan => plan.type === 'claim' || plan.type === 'csi';

/** A volume whose content the node writes, from objects and from the pod itself. */
export interface FilesPlan {
  readonly type: 'files';
  readonly name: string;
  readonly plugin: FilesPlugin;
  readonly sources: readonly FilesSource[];
  readonly defaultMode: number;
  /** The size of the tmpfs that holds the files; `undefined` for a volume on the disk. */
  readonly memoryBytes?: number;
}

export type FilesPlugin = 'configmap' | 'secret' | 'downward-api' | 'projected';

/** A volume that can never be set up. The pod shows the reason. */
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
      /** `undefined` for every key under its own name. */
      readonly items?: readonly KeyToPath[];
    }
  /** A downward API value, already computed. */
  | { readonly type: 'text'; readonly path: string; readonly text: string; readonly mode?: number }
  | {
      readonly type: 'token';
      readonly path: string;
      readonly audience: string;
      readonly expirationSeconds: number;
      readonly serviceAccount: string;
      /** The one user that all containers run as. */
      readonly uid?: number;
    }
  | {
      readonly type: 'trust-bundle';
      readonly path: string;
      /** If the object is missing, the file is empty. */
      readonly optional: boolean;
      readonly of: BundleRequest;
    }
  /** A certificate of the pod itself, with its key (KEP-4317). */
  | {
      readonly type: 'certificate';
      readonly signerName: string;
      readonly keyType: string;
      readonly maxExpirationSeconds?: number;
      readonly userAnnotations?: Readonly<Record<string, string>>;
      /** The files for key and certificates: one file for both, or one file each. */
      readonly bundlePath?: string;
      readonly keyPath?: string;
      readonly chainPath?: string;
      readonly serviceAccount: string;
      /** The one user that all containers run as. */
      readonly uid?: number;
    }
  | { readonly type: 'refused'; readonly message: string };

/**
 * ClusterTrustBundles (KEP-3257): one by name, or all bundles of a signer that a selector selects; without a selector,
 * none.
 */
export type BundleRequest =
  | { readonly name: string }
  /** `labels`: the selector in a query's form; empty for all. */
  | { readonly signerName: string; readonly labels: string | undefined };

/** The fetched data of a source, in the order of the sources; `undefined` for a source that needs none. */
export type FetchedSource =
  | undefined
  | { readonly type: 'object'; readonly data: ObjectData }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'trust-bundle'; readonly pem: string }
  /** Both are PEM. */
  | { readonly type: 'certificate'; readonly key: string; readonly chain: string }
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

/** Returns the objects that a pod's volumes are made of, for change notifications. */
export function objectsOf(pod: PodVolumes): readonly ObjectRef[] {
  return pod.volumes.flatMap((volume) =>
    volume.type === 'files' ? volume.sources.flatMap((source) => (source.type === 'object' ? [source.ref] : [])) : [],
  );
}
