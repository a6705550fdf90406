import { NodeExpandVolumeRequest, NodePublishVolumeRequest, NodeStageVolumeRequest } from './gen/csi.ts';
import type { CsiNode } from './csi-client.ts';
import type { CsiFiles } from './csi-files.ts';
import {
  CSI_VOLUMES,
  parseVolumeRecord,
  RECORD_FILE,
  stagingDirectory,
  volumeCapability,
  type CsiVolume,
  type NodeCapability,
  type PodOfVolume,
  type VolumeRecord,
} from './csi-volume.ts';

export interface CsiPlace {
  readonly rootDir: string;
  readonly nodeName: string;
  readonly files: CsiFiles;
}

export type WorkOutcome<T = undefined> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

const failed = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });
const done: WorkOutcome = { ok: true, value: undefined };

export interface Publication {
  readonly volume: CsiVolume;
  readonly pod: PodOfVolume;
  /** Known to be staged: it is only published again. */
  readonly isStaged?: boolean;
  readonly capabilities: ReadonlySet<NodeCapability>;
  readonly attachmentId: string;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly stageSecrets: Readonly<Record<string, string>>;
  readonly publishSecrets: Readonly<Record<string, string>>;
  /** What the driver is told beside the volume's own attributes. */
  readonly context: Readonly<Record<string, string>>;
}

const podVolumeDirectory = ({ rootDir }: CsiPlace, podUid: string, specName: string): string =>
  `${rootDir}/pods/${podUid}/${CSI_VOLUMES}/${specName}`;

/** Where a pod's volume is mounted. */
export const mountPath = (place: CsiPlace, podUid: string, specName: string): string =>
  `${podVolumeDirectory(place, podUid, specName)}/mount`;

/**
 * Stages the volume on the node if its driver does that, then publishes it to the pod. Either call may be repeated at will, as
 * drivers must allow; before each, what is needed to undo it is on disk. Answers with the path.
 */
export async function publishVolume(
  node: CsiNode,
  publication: Publication,
  place: CsiPlace,
): Promise<WorkOutcome<string>> {
  const { files, rootDir, nodeName } = place;
  const { volume, pod, capabilities, attachmentId, publishContext } = publication;
  const capability = volumeCapability(volume, capabilities, pod.fsGroup);
  const stages = volume.lifecycle === 'Persistent' && capabilities.has('STAGE_UNSTAGE_VOLUME');
  const staging = `${rootDir}/${stagingDirectory(volume)}`;
  const stagingPath = stages ? `${staging}/globalmount` : '';
  if (stages && publication.isStaged !== true) {
    files.makeDirectory(stagingPath);
    files.write(
      `${staging}/${RECORD_FILE}`,
      JSON.stringify({ driverName: volume.driver, volumeHandle: volume.handle }),
    );
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
    if (!staged.ok) return failed(`MountVolume.MountDevice failed: ${staged.message}`);
  }
  const directory = podVolumeDirectory(place, pod.podUid, volume.specName);
  const record: VolumeRecord = {
    driverName: volume.driver,
    volumeHandle: volume.handle,
    specVolID: volume.specName,
    nodeName,
    attachmentID: attachmentId,
    volumeLifecycleMode: volume.lifecycle,
  };
  files.makeDirectory(directory);
  files.write(`${directory}/${RECORD_FILE}`, JSON.stringify(record));
  const path = `${directory}/mount`;
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

/** Codes by which a driver says that it cannot do this, or not while the volume is used: it goes on as it is. */
const NOT_NOW: ReadonlySet<number> = new Set([9, 12]);

/** Has the driver make the file system of a published volume as large as the volume is. */
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
      volumePath: `${podVolumeDirectory(place, pod.podUid, volume.specName)}/mount`,
      stagingTargetPath: stages ? `${place.rootDir}/${stagingDirectory(volume)}/globalmount` : '',
      capacityRange: { requiredBytes: bytes },
      volumeCapability: volumeCapability(volume, capabilities, pod.fsGroup),
    }),
  );
  if (expanded.ok) return { ok: true, value: 'grown' };
  return NOT_NOW.has(expanded.code)
    ? { ok: true, value: 'not now' }
    : failed(`NodeExpandVolume failed: ${expanded.message}`);
}

/** One volume of a pod that is to go, as it was found on disk. */
export interface FoundVolume {
  readonly podUid: string;
  readonly specName: string;
  /** Undefined: what was written of it cannot be read. */
  readonly record: VolumeRecord | undefined;
}

export function volumesOfPod({ rootDir, files }: CsiPlace, podUid: string): readonly FoundVolume[] {
  return files.list(`${rootDir}/pods/${podUid}/${CSI_VOLUMES}`).map((specName) => ({
    podUid,
    specName,
    record: parseVolumeRecord(files.read(`${rootDir}/pods/${podUid}/${CSI_VOLUMES}/${specName}/${RECORD_FILE}`) ?? ''),
  }));
}

/** Whether something is on disk of a volume of a pod: whoever made it has it still. */
export const hasRecord = (
  { rootDir, files }: CsiPlace,
  { podUid, specName }: { readonly podUid: string; readonly specName: string },
): boolean => files.read(`${rootDir}/pods/${podUid}/${CSI_VOLUMES}/${specName}/${RECORD_FILE}`) !== undefined;

/** All that pods of this node have, whoever made it: what an agent that starts anew knows volumes by. */
export const volumesOnNode = (place: CsiPlace): readonly FoundVolume[] =>
  place.files.list(`${place.rootDir}/pods`).flatMap((podUid) => volumesOfPod(place, podUid));

/** Takes a volume away from a pod. What the driver has left is only removed when it is empty. */
export async function unpublishVolume(
  node: Pick<CsiNode, 'unpublish'>,
  found: FoundVolume,
  place: CsiPlace,
): Promise<WorkOutcome> {
  const { files } = place;
  const directory = podVolumeDirectory(place, found.podUid, found.specName);
  const { record } = found;
  if (record !== undefined) {
    const { volumeHandle: volumeId } = record;
    const outcome = await node.unpublish({ volumeId, targetPath: `${directory}/mount` });
    if (!outcome.ok) return failed(`UnmountVolume.TearDown failed for volume "${found.specName}": ${outcome.message}`);
  }
  return removing(() => {
    files.removeEmpty(`${directory}/mount`);
    files.removeFile(`${directory}/${RECORD_FILE}`);
    files.removeEmpty(directory);
  });
}

/** What is staged on this node, whoever did that. */
export const stagedVolumes = ({ rootDir, files }: CsiPlace): readonly Pick<CsiVolume, 'driver' | 'handle'>[] => {
  const top = `${rootDir}/plugins/kubernetes.io/csi`;
  return files.list(top).flatMap((driver) =>
    files.list(`${top}/${driver}`).flatMap((name) => {
      const record = parseVolumeRecord(files.read(`${top}/${driver}/${name}/${RECORD_FILE}`) ?? '');
      return record === undefined ? [] : [{ driver: record.driverName, handle: record.volumeHandle }];
    }),
  );
};

/** Nobody on this node uses the volume any more. Nothing happens where it was not staged. */
export async function unstageVolume(
  node: CsiNode,
  volume: Pick<CsiVolume, 'driver' | 'handle'>,
  place: CsiPlace,
): Promise<WorkOutcome> {
  const { files, rootDir } = place;
  const staging = `${rootDir}/${stagingDirectory(volume)}`;
  if (files.read(`${staging}/${RECORD_FILE}`) === undefined) return done;
  const stagingTargetPath = `${staging}/globalmount`;
  const outcome = await node.unstage({ volumeId: volume.handle, stagingTargetPath });
  if (!outcome.ok) return failed(`UnmountDevice failed for volume "${volume.handle}": ${outcome.message}`);
  return removing(() => {
    files.removeEmpty(stagingTargetPath);
    files.removeFile(`${staging}/${RECORD_FILE}`);
    files.removeEmpty(staging);
  });
}

function removing(remove: () => void): WorkOutcome {
  try {
    remove();
    return done;
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}
