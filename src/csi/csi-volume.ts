import { createHash } from 'node:crypto';
import { entryName } from '../kube/validation/entry-name.ts';
import { VolumeCapability, VolumeCapability_AccessMode_Mode } from './gen/csi.ts';

/** A volume of a CSI driver, as a PersistentVolume or a pod itself describes it. */
export interface CsiVolume {
  readonly driver: string;
  /** What the driver knows it by. */
  readonly handle: string;
  /** The PersistentVolume's name, or that of the volume in the pod: the name of its directory. */
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

/** What a driver's node service can do, as it says. */
export type NodeCapability =
  | 'STAGE_UNSTAGE_VOLUME'
  | 'GET_VOLUME_STATS'
  | 'EXPAND_VOLUME'
  | 'VOLUME_CONDITION'
  | 'SINGLE_NODE_MULTI_WRITER'
  | 'VOLUME_MOUNT_GROUP';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the driver of a volume that lives and dies with its pod knows it by. */
export const ephemeralHandle = (podUid: string, volumeName: string): string => `csi-${sha256(podUid + volumeName)}`;

/** The name of the VolumeAttachment that says whether a volume is attached to a node. */
export const attachmentName = ({ handle, driver }: CsiVolume, nodeName: string): string =>
  `csi-${sha256(handle + driver + nodeName)}`;

/** As the node's status names volumes that are in use. */
export const uniqueVolumeName = ({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string =>
  `kubernetes.io/csi/${driver}^${handle}`;

/** The directory of a volume as it is for all pods of the node, below the agent's root. A handle may be any text. */
export const stagingDirectory = ({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string =>
  `plugins/kubernetes.io/csi/${entryName(driver)}/${sha256(handle)}`;

/** Below the pod's directory. */
export const CSI_VOLUMES = 'volumes/kubernetes.io~csi';

const { SINGLE_NODE_WRITER, SINGLE_NODE_MULTI_WRITER, SINGLE_NODE_SINGLE_WRITER } = VolumeCapability_AccessMode_Mode;
const { MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER } = VolumeCapability_AccessMode_Mode;

/** Older drivers know nothing of one writer and of several on a node: for them it is just a writer. */
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

/** How a driver is to make the volume available. The group only where it can do that itself. */
export function volumeCapability(
  { fsType, mountOptions, accessMode, mode }: CsiVolume,
  capabilities: ReadonlySet<NodeCapability>,
  fsGroup: number | undefined,
): VolumeCapability {
  const access = { mode: accessModeOf(accessMode, capabilities) as VolumeCapability_AccessMode_Mode };
  if (mode === 'Block') return VolumeCapability.fromPartial({ block: {}, accessMode: access });
  const group = fsGroup !== undefined && capabilities.has('VOLUME_MOUNT_GROUP') ? String(fsGroup) : '';
  return VolumeCapability.fromPartial({
    mount: { fsType, mountFlags: [...mountOptions], volumeMountGroup: group },
    accessMode: access,
  });
}

/** `fsGroupPolicy` of the CSIDriver: whether the node gives the volume's files to the pod's group. */
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

/** What a driver that asks for it is told of the pod (`podInfoOnMount`). */
export const podInfo = (pod: PodOfVolume, volume: CsiVolume): Readonly<Record<string, string>> => ({
  [`${PREFIX}/pod.name`]: pod.podName,
  [`${PREFIX}/pod.namespace`]: pod.namespace,
  [`${PREFIX}/pod.uid`]: pod.podUid,
  [`${PREFIX}/serviceAccount.name`]: pod.serviceAccount,
  [`${PREFIX}/ephemeral`]: String(volume.lifecycle === 'Ephemeral'),
});

/** Written beside a mounted volume: all that is needed to take it away again, whoever does that. The kubelet's own keys. */
export interface VolumeRecord {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID: string;
  readonly nodeName: string;
  readonly attachmentID: string;
  readonly volumeLifecycleMode: CsiVolume['lifecycle'];
}

/** What is staged on a node, as its record tells it. */
export interface StagedVolume {
  readonly driver: string;
  readonly handle: string;
  /** Of the PersistentVolume, where it is staged as a block device: the name of its directories. */
  readonly device?: string;
}

export const stagedAs = ({ driver, handle, mode, specName }: CsiVolume): StagedVolume =>
  mode === 'Block' ? { driver, handle, device: specName } : { driver, handle };

export const RECORD_FILE = 'vol_data.json';

export function parseVolumeRecord(text: string): VolumeRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== 'object' || record === null) return undefined;
    const { driverName, volumeHandle } = record as Partial<VolumeRecord>;
    return typeof driverName === 'string' && typeof volumeHandle === 'string' ? (record as VolumeRecord) : undefined;
  } catch {
    return undefined;
  }
}
