import { createHash } from 'node:crypto';
import { entryName } from '../kube/validation/entry-name.ts';
import { VolumeCapability, VolumeCapability_AccessMode_Mode } from './gen/csi.ts';

/** A volume of a CSI driver, as a PersistentVolume or a pod describes it. */
export interface CsiVolume {
  readonly driver: string;
  /** The driver's own id of the volume. */
  readonly handle: string;
  /** The PersistentVolume's name, or the name of the pod's volume. Also the name of its directory. */
  readonly specName: string;
  readonly lifecycle: 'Persistent' | 'Ephemeral';
  /** `Block`: a device without a file system. */
  readonly mode: 'Filesystem' | 'Block';
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly mountOptions: readonly string[];
  readonly accessMode: AccessMode;
  readonly stageSecret?: SecretRef;
  readonly publishSecret?: SecretRef;
}

export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod';

/** A capability that a driver's node service declares. */
export type NodeCapability =
  | 'STAGE_UNSTAGE_VOLUME'
  | 'GET_VOLUME_STATS'
  | 'EXPAND_VOLUME'
  | 'VOLUME_CONDITION'
  | 'SINGLE_NODE_MULTI_WRITER'
  | 'VOLUME_MOUNT_GROUP';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the handle of a volume that is created and deleted with its pod. */
export const ephemeralHandle = (podUid: string, volumeName: string): string => `csi-${sha256(podUid + volumeName)}`;

/** Returns the name of the VolumeAttachment that shows whether a volume is attached to a node. */
export const attachmentName = ({ handle, driver }: CsiVolume, nodeName: string): string =>
  `csi-${sha256(handle + driver + nodeName)}`;

/** Returns the name by which the node's status lists a volume in use. */
export const uniqueVolumeName = ({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string =>
  `kubernetes.io/csi/${driver}^${handle}`;

/**
 * Returns, below the agent's root, the directory where a volume is staged for all pods of the node. A handle may be any
 * text.
 */
export const stagingDirectory = ({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string =>
  `plugins/kubernetes.io/csi/${entryName(driver)}/${sha256(handle)}`;

/** Below the pod's directory. */
export const CSI_VOLUMES = 'volumes/kubernetes.io~csi';

const { SINGLE_NODE_WRITER, SINGLE_NODE_MULTI_WRITER, SINGLE_NODE_SINGLE_WRITER } = VolumeCapability_AccessMode_Mode;
const { MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER } = VolumeCapability_AccessMode_Mode;

/** Older drivers do not know modes for one writer on a node, so they get the mode for a single writer. */
function accessModeOf(mode: AccessMode, capabilities: ReadonlySet<NodeCapability>): number {
  const tellsWriters = capabilities.has('SINGLE_NODE_MULTI_WRITER');
  switch (mode) {
    case 'ReadWriteOnce':
      return tellsWriters ? SINGLE_NODE_MULTI_WRITER : SINGLE_NODE_WRITER;
    case 'ReadWriteOncePod':
      return tellsWriters ? SINGLE_NODE_SINGLE_WRITER : SINGLE_NODE_WRITER;
    case 'ReadOnlyMany':
      return MULTI_NODE_READER_ONLY;
    case 'ReadWriteMany':
      return MULTI_NODE_MULTI_WRITER;
    default:
      return mode satisfies never;
  }
}

/** Returns how a driver is to provide the volume. The group is passed only to drivers that can apply it. */
export function volumeCapability(
  { fsType, mountOptions, accessMode, mode }: CsiVolume,
  capabilities: ReadonlySet<NodeCapability>,
  fsGroup: number | undefined,
): VolumeCapability {
  // The enum's numbers are those of `accessModeOf`.
  const access = { mode: accessModeOf(accessMode, capabilities) as VolumeCapability_AccessMode_Mode };
  if (mode === 'Block') return VolumeCapability.fromPartial({ block: {}, accessMode: access });
  const group = fsGroup !== undefined && capabilities.has('VOLUME_MOUNT_GROUP') ? String(fsGroup) : '';
  return VolumeCapability.fromPartial({
    mount: { fsType, mountFlags: [...mountOptions], volumeMountGroup: group },
    accessMode: access,
  });
}

/** `true` if the node itself must give the volume's files to the pod's group (`fsGroupPolicy` of the CSIDriver). */
export function nodeOwnsGroup(
  volume: CsiVolume,
  policy: string | undefined,
  capabilities: ReadonlySet<NodeCapability>,
): boolean {
  if (capabilities.has('VOLUME_MOUNT_GROUP') || volume.readOnly || volume.mode === 'Block') return false;
  switch (policy ?? 'ReadWriteOnceWithFSType') {
    case 'None':
      return false;
    case 'File':
      return true;
    default:
      return (
        volume.fsType !== '' && (volume.accessMode === 'ReadWriteOnce' || volume.accessMode === 'ReadWriteOncePod')
      );
  }
}

export interface PodOfVolume {
  readonly podUid: string;
  readonly podName: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly fsGroup?: number;
}

const PREFIX = 'csi.storage.k8s.io';

/** Returns the pod's data for drivers that ask for it (`podInfoOnMount`). */
export const podInfo = (pod: PodOfVolume, volume: CsiVolume): Readonly<Record<string, string>> => ({
  [`${PREFIX}/pod.name`]: pod.podName,
  [`${PREFIX}/pod.namespace`]: pod.namespace,
  [`${PREFIX}/pod.uid`]: pod.podUid,
  [`${PREFIX}/serviceAccount.name`]: pod.serviceAccount,
  [`${PREFIX}/ephemeral`]: String(volume.lifecycle === 'Ephemeral'),
});

/** Written beside a mounted volume, with all that any later process needs to unmount it. The keys are the kubelet's. */
export interface VolumeRecord {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID: string;
  readonly nodeName: string;
  readonly attachmentID: string;
  readonly volumeLifecycleMode: CsiVolume['lifecycle'];
}

/** A volume staged on the node, as its record describes it. */
export interface StagedVolume {
  readonly driver: string;
  readonly handle: string;
  /** For a volume staged as a block device: the PersistentVolume's name, which names its directories. */
  readonly device?: string;
}

export const stagedAs = ({ driver, handle, mode, specName }: CsiVolume): StagedVolume =>
  mode === 'Block' ? { driver, handle, device: specName } : { driver, handle };

export const RECORD_FILE = 'vol_data.json';

export function parseVolumeRecord(text: string): VolumeRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== 'object' || record === null) return undefined;
    // Both members are checked on the next line; this agent wrote the others.
    const { driverName, volumeHandle } = record as Partial<VolumeRecord>;
    return typeof driverName === 'string' && typeof volumeHandle === 'string' ? (record as VolumeRecord) : undefined;
  } catch {
    return undefined;
  }
}
