import type { SecretRef } from './csi-volume.ts';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
}

/** The parts of PersistentVolume and claim objects that decide where a claim's volume is. */
export interface PersistentVolumeClaim {
  readonly metadata: Metadata;
  readonly spec?: { readonly volumeName?: string; readonly volumeMode?: string };
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string }[];
    readonly allocatedResourceStatuses?: object;
  };
}

export interface PersistentVolume {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly volumeMode?: string;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly accessModes?: readonly string[];
    readonly mountOptions?: readonly string[];
    readonly claimRef?: { readonly uid?: string; readonly name?: string; readonly namespace?: string };
    readonly csi?: CsiSource;
    readonly hostPath?: { readonly path: string; readonly type?: string };
    readonly local?: { readonly path: string; readonly fsType?: string };
    readonly nodeAffinity?: { readonly required?: NodeSelector };
  };
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly object[];
}

export interface CsiSource {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly nodeStageSecretRef?: Partial<SecretRef>;
  readonly nodePublishSecretRef?: Partial<SecretRef>;
}
