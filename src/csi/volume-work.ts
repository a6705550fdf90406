import { NodeExpandVolumeRequest, NodePublishVolumeRequest, NodeStageVolumeRequest } from './gen/csi.ts';
import type { CsiNode } from './csi-client.ts';
import {
  parseVolumeRecord,
  RECORD_FILE,
  stagedAs,
  volumeCapability,
  type CsiVolume,
  type NodeCapability,
  type PodOfVolume,
  type StagedVolume,
  type VolumeRecord,
} from './csi-volume.ts';
import {
  devicesTop,
  podDevices,
  podVolumes,
  publishDirectory,
  publishedPath,
  stagingPlace,
  type CsiPlace,
} from './volume-places.ts';
import { messageOf } from '../kube/text/message-of.ts';

export type WorkOutcome<T = undefined> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

const failed = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });
const done: WorkOutcome = { ok: true, value: undefined };

export interface Publication {
  readonly volume: CsiVolume;
  readonly pod: PodOfVolume;
  /** `true` if the volume is already staged and only needs to be published again. */
  readonly isStaged?: boolean;
  readonly capabilities: ReadonlySet<NodeCapability>;
  readonly attachmentId: string;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly stageSecrets: Readonly<Record<string, string>>;
  readonly publishSecrets: Readonly<Record<string, string>>;
  /** The context sent to the driver beside the volume's own attributes. */
  readonly context: Readonly<Record<string, string>>;
}

/**
 * Stages the volume on the node if its driver does that, then publishes it to the pod. Both calls may be repeated, as
 * drivers must allow. The records needed to undo a call are on disk before the call. Returns the path.
 */
export async function publishVolume(
  node: CsiNode,
  publication: Publication,
  place: CsiPlace,
): Promise<WorkOutcome<string>> {
  const { files } = place;
  const { volume, pod, capabilities, publishContext } = publication;
  const capability = volumeCapability(volume, capabilities, pod.fsGroup);
  const stages = volume.lifecycle === 'Persistent' && capabilities.has('STAGE_UNSTAGE_VOLUME');
  const staging = stagingPlace(place, stagedAs(volume));
  const stagingPath = stages ? staging.path : '';
  if (volume.mode === 'Block') recordDevice(publication, place);
  if (stages && publication.isStaged !== true) {
    files.makeDirectory(stagingPath);
    if (volume.mode === 'Filesystem') {
      const staged = { driverName: volume.driver, volumeHandle: volume.handle };
      files.write(`${staging.record}/${RECORD_FILE}`, JSON.stringify(staged));
    }
    const staged = await node.stage(
      NodeStageVolumeRequest.fromPartial({
        volumeId: volume.handle,
        publishContext: { ...publishContext },
        stagingTargetPath: stagingPath,
        volumeCapability: capability,
        secrets: { ...publication.stageSecrets },
        volumeContext: { ...volume.attributes },
      }),
    );
    if (!staged.ok) {
      const step = volume.mode === 'Block' ? 'MapVolume.SetUpDevice' : 'MountVolume.MountDevice';
      return failed(`${step} failed: ${staged.message}`);
    }
  }
  if (volume.mode === 'Filesystem') {
    const directory = `${podVolumes(place, pod.podUid)}/${volume.specName}`;
    files.makeDirectory(directory);
    files.write(`${directory}/${RECORD_FILE}`, JSON.stringify(recordOf(publication, place)));
  }
  const path = publishedPath(place, pod.podUid, volume);
  const published = await node.publish(
    NodePublishVolumeRequest.fromPartial({
      volumeId: volume.handle,
      publishContext: { ...publishContext },
      stagingTargetPath: stagingPath,
      targetPath: path,
      volumeCapability: capability,
      readonly: volume.readOnly,
      secrets: { ...publication.publishSecrets },
      volumeContext: { ...volume.attributes, ...publication.context },
    }),
  );
  return published.ok ? { ok: true, value: path } : failed(published.message);
}

const recordOf = ({ volume, attachmentId }: Publication, { nodeName }: CsiPlace): VolumeRecord => ({
  driverName: volume.driver,
  volumeHandle: volume.handle,
  specVolID: volume.specName,
  nodeName,
  attachmentID: attachmentId,
  volumeLifecycleMode: volume.lifecycle,
});

/** Records the device's owner before the driver creates anything. */
function recordDevice(publication: Publication, place: CsiPlace): void {
  const { files } = place;
  const { volume, pod } = publication;
  const { record } = stagingPlace(place, stagedAs(volume));
  files.makeDirectory(record);
  files.write(`${record}/${RECORD_FILE}`, JSON.stringify(recordOf(publication, place)));
  files.makeDirectory(publishDirectory(place, volume.specName));
  files.makeDirectory(podDevices(place, pod.podUid));
  files.link(`${podDevices(place, pod.podUid)}/${volume.specName}`, publishedPath(place, pod.podUid, volume));
}

/** Codes by which a driver refuses an expansion, or refuses it while the volume is in use. The volume stays usable. */
const NOT_NOW: ReadonlySet<number> = new Set([9, 12]);

/** Has the driver expand the file system of a published volume to the volume's size. */
export async function expandVolume(
  node: Pick<CsiNode, 'expand'>,
  {
    volume,
    pod,
    capabilities,
    bytes,
  }: Pick<Publication, 'volume' | 'pod' | 'capabilities'> & { readonly bytes: bigint },
  place: CsiPlace,
): Promise<WorkOutcome<'grown' | 'not now'>> {
  const stages = volume.lifecycle === 'Persistent' && capabilities.has('STAGE_UNSTAGE_VOLUME');
  const expanded = await node.expand(
    NodeExpandVolumeRequest.fromPartial({
      volumeId: volume.handle,
      volumePath: publishedPath(place, pod.podUid, volume),
      stagingTargetPath: stages ? stagingPlace(place, stagedAs(volume)).path : '',
      capacityRange: { requiredBytes: bytes },
      volumeCapability: volumeCapability(volume, capabilities, pod.fsGroup),
    }),
  );
  if (expanded.ok) return { ok: true, value: 'grown' };
  return NOT_NOW.has(expanded.code)
    ? { ok: true, value: 'not now' }
    : failed(`NodeExpandVolume failed: ${expanded.message}`);
}

/** One volume of a pod to remove, as found on disk. */
export interface FoundVolume {
  readonly podUid: string;
  readonly specName: string;
  readonly mode: CsiVolume['mode'];
  /** `undefined` when the record cannot be read. */
  readonly record: VolumeRecord | undefined;
}

export const stagedOf = ({ driverName, volumeHandle }: VolumeRecord, { mode, specName }: FoundVolume): StagedVolume => {
  const volume = { driver: driverName, handle: volumeHandle };
  return mode === 'Block' ? { ...volume, device: specName } : volume;
};

export function volumesOfPod(place: CsiPlace, podUid: string): readonly FoundVolume[] {
  const { files } = place;
  const recordIn = (directory: string) => parseVolumeRecord(files.read(`${directory}/${RECORD_FILE}`) ?? '');
  const mounts = podVolumes(place, podUid);
  const found = (mode: CsiVolume['mode'], specName: string): FoundVolume => {
    const directory = mode === 'Block' ? `${devicesTop(place)}/${specName}/data` : `${mounts}/${specName}`;
    return { podUid, specName, mode, record: recordIn(directory) };
  };
  return [
    ...files.list(mounts).map((specName) => found('Filesystem', specName)),
    ...files.list(podDevices(place, podUid)).map((specName) => found('Block', specName)),
  ];
}

/** Returns one of the pod's volumes by name; `undefined` when the pod has no volume of that name. */
export const foundVolume = (
  place: CsiPlace,
  { podUid, specName }: { readonly podUid: string; readonly specName: string },
): FoundVolume | undefined => volumesOfPod(place, podUid).find((found) => found.specName === specName);

/** `true` if the disk has a record of a pod's volume. The pod then still uses it, whichever agent published it. */
export const hasRecord = (
  place: CsiPlace,
  { podUid, specName }: { readonly podUid: string; readonly specName: string },
): boolean =>
  place.files.read(`${podVolumes(place, podUid)}/${specName}/${RECORD_FILE}`) !== undefined ||
  place.files.readLink(`${podDevices(place, podUid)}/${specName}`) !== undefined;

/** `true` if a device is still bound for its pod. The driver would find it busy. */
export const isMapped = (place: CsiPlace, { mode, specName, podUid }: FoundVolume): boolean =>
  mode === 'Block' && place.files.list(`${devicesTop(place)}/${specName}/dev`).includes(podUid);

/** Returns all published volumes of this node, for an agent that restarts, whichever agent published them. */
export const volumesOnNode = (place: CsiPlace): readonly FoundVolume[] =>
  place.files.list(`${place.rootDir}/pods`).flatMap((podUid) => volumesOfPod(place, podUid));

/** Unpublishes a pod's volume. Directories that the driver left are removed only when empty. */
export async function unpublishVolume(
  node: Pick<CsiNode, 'unpublish'>,
  found: FoundVolume,
  place: CsiPlace,
): Promise<WorkOutcome> {
  const { podUid, specName, record, mode } = found;
  const targetPath = publishedPath(place, podUid, found);
  if (record !== undefined) {
    const outcome = await node.unpublish({ volumeId: record.volumeHandle, targetPath });
    const step = mode === 'Block' ? 'UnmapVolume.UnmapPodDevice' : 'UnmountVolume.TearDown';
    if (!outcome.ok) return failed(`${step} failed for volume "${specName}": ${outcome.message}`);
  }
  const { files } = place;
  return removing(() => {
    if (mode === 'Block') {
      // Fails while a device is still bound there.
      files.removeFile(targetPath);
      files.removeIfEmpty(publishDirectory(place, specName));
      return files.removeFile(`${podDevices(place, podUid)}/${specName}`);
    }
    const directory = `${podVolumes(place, podUid)}/${specName}`;
    files.removeEmpty(targetPath);
    files.removeFile(`${directory}/${RECORD_FILE}`);
    files.removeEmpty(directory);
  });
}

/** Returns all volumes staged on this node, whichever agent staged them. */
export function stagedVolumes(place: CsiPlace): readonly StagedVolume[] {
  const { rootDir, files } = place;
  const recorded = (directory: string, device?: string): readonly StagedVolume[] => {
    const record = parseVolumeRecord(files.read(`${directory}/${RECORD_FILE}`) ?? '');
    if (record === undefined) return [];
    const volume = { driver: record.driverName, handle: record.volumeHandle };
    return [device === undefined ? volume : { ...volume, device }];
  };
  const top = `${rootDir}/plugins/kubernetes.io/csi`;
  const devices = devicesTop(place);
  return files
    .list(top)
    .flatMap((driver) =>
      `${top}/${driver}` === devices
        ? files.list(devices).flatMap((name) => recorded(`${devices}/${name}/data`, name))
        : files.list(`${top}/${driver}`).flatMap((name) => recorded(`${top}/${driver}/${name}`)),
    );
}

/** Unstages a volume that no pod of this node uses any more. Does nothing when it is not staged. */
export async function unstageVolume(
  node: Pick<CsiNode, 'unstage' | 'capabilities'>,
  volume: StagedVolume,
  place: CsiPlace,
): Promise<WorkOutcome> {
  const { files } = place;
  const { path, record } = stagingPlace(place, volume);
  if (files.read(`${record}/${RECORD_FILE}`) === undefined) return done;
  // A device has its record whether or not its driver stages.
  const stages = volume.device === undefined ? STAGES : await node.capabilities();
  if (!stages.ok) return failed(stages.message);
  if (stages.value.has('STAGE_UNSTAGE_VOLUME')) {
    const outcome = await node.unstage({ volumeId: volume.handle, stagingTargetPath: path });
    const step = volume.device === undefined ? 'UnmountDevice' : 'UnmapDevice';
    if (!outcome.ok) return failed(`${step} failed for volume "${volume.handle}": ${outcome.message}`);
  }
  return removing(() => {
    files.removeEmpty(path);
    files.removeFile(`${record}/${RECORD_FILE}`);
    files.removeEmpty(record);
    if (volume.device !== undefined) files.removeEmpty(`${devicesTop(place)}/${volume.device}`);
  });
}

const STAGES = { ok: true, value: new Set<NodeCapability>(['STAGE_UNSTAGE_VOLUME']) } as const;

function removing(remove: () => void): WorkOutcome {
  try {
    remove();
    return done;
  } catch (error) {
    return failed(messageOf(error));
  }
}
