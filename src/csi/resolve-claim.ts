import type { DeviceVolume } from '../volumes/plan/device-place.ts';
import type { VolumePlan } from '../volumes/plan/volume-plan.ts';
import type { AccessMode, CsiVolume, SecretRef } from './csi-volume.ts';
import type { CsiSource, PersistentVolume, PersistentVolumeClaim } from './persistent-volume.ts';
import { growthOf, type VolumeGrowth } from './volume-growth.ts';

export type Resolved<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

const PROTECTION = 'kubernetes.io/pvc-protection';

/**
 * Returns the PersistentVolume that a claim is bound to, or why the claim cannot be used (kubelet volume populator).
 */
export function boundVolume(
  claim: PersistentVolumeClaim,
  { ephemeral, podUid }: { readonly ephemeral: boolean; readonly podUid: string },
): Resolved<string> {
  const { metadata, spec, status } = claim;
  const name = `${metadata.namespace ?? ''}/${metadata.name}`;
  const failed = (why: string): Resolved<string> => ({ ok: false, message: `error processing PVC ${name}: ${why}` });
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (ephemeral && owner?.uid !== podUid) return failed('PVC was not created for the pod (pod is not owner)');
  if (metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(PROTECTION)) {
    return failed('PVC is being deleted');
  }
  const volume = spec?.volumeName ?? '';
  if (status?.phase !== 'Bound' || volume === '') return failed('PVC is not bound');
  return { ok: true, value: volume };
}

export type ClaimedVolume =
  /** `growth`: its file system must still be expanded to the volume's size. */
  | { readonly type: 'csi'; readonly volume: CsiVolume; readonly growth?: VolumeGrowth }
  /** Set up by the volume executor, like a volume in the pod's spec. */
  | { readonly type: 'plan'; readonly plan: VolumePlan }
  /** Mapped by the volume executor. */
  | { readonly type: 'device'; readonly volume: DeviceVolume };

export interface ClaimUse {
  readonly volumeName: string;
  readonly readOnly: boolean;
  readonly asDevice: boolean;
}

/** Returns what a bound PersistentVolume is on this node. */
export function claimedVolume(
  persistent: PersistentVolume,
  claim: PersistentVolumeClaim,
  use: ClaimUse,
): Resolved<ClaimedVolume> {
  const { metadata, spec = {} } = persistent;
  const name = `${claim.metadata.namespace ?? ''}/${claim.metadata.name}`;
  const failed = (why: string): Resolved<ClaimedVolume> => ({
    ok: false,
    message: `error processing PVC ${name}: ${why}`,
  });
  if (spec.claimRef === undefined) return failed(`PV ${metadata.name} has no claimRef`);
  if (spec.claimRef.uid !== claim.metadata.uid) {
    return failed(`PV ${metadata.name} is bound to another claim (UID ${spec.claimRef.uid ?? ''})`);
  }
  const mode = spec.volumeMode ?? 'Filesystem';
  if (use.asDevice !== (mode === 'Block')) {
    return failed(
      use.asDevice
        ? `volume ${use.volumeName} has volumeMode ${mode}, but is specified in volumeDevices`
        : `volume ${use.volumeName} has volumeMode Block, but is specified in volumeMounts`,
    );
  }
  const { csi, hostPath, local } = spec;
  if (csi !== undefined) {
    const growth = growthOf(persistent, claim);
    const volume = csiVolume(csi, { metadata, spec, use });
    return { ok: true, value: { type: 'csi', volume, ...(growth === undefined ? {} : { growth }) } };
  }
  if (use.asDevice && local !== undefined) {
    const volume = { plugin: 'kubernetes.io~local-volume', specName: metadata.name, path: local.path } as const;
    return { ok: true, value: { type: 'device', volume } };
  }
  if (hostPath !== undefined && !use.asDevice) {
    const plan = { type: 'host-path', name: use.volumeName, path: hostPath.path, check: hostPath.type ?? '' } as const;
    return { ok: true, value: { type: 'plan', plan } };
  }
  if (local !== undefined) {
    const plan = { type: 'local', name: use.volumeName, specName: metadata.name, path: local.path } as const;
    return { ok: true, value: { type: 'plan', plan } };
  }
  const kind = Object.keys(spec).find((key) => !KNOWN.has(key)) ?? 'unknown';
  return failed(`PV ${metadata.name}: volumes of kind ${kind} are not supported by this node`);
}

const KNOWN: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

const ACCESS_MODES: ReadonlySet<string> = new Set<AccessMode>([
  'ReadWriteOnce',
  'ReadOnlyMany',
  'ReadWriteMany',
  'ReadWriteOncePod',
]);

function csiVolume(
  source: CsiSource,
  {
    metadata,
    spec,
    use,
  }: { metadata: PersistentVolume['metadata']; spec: NonNullable<PersistentVolume['spec']>; use: ClaimUse },
): CsiVolume {
  const accessMode = (spec.accessModes ?? []).find((mode) => ACCESS_MODES.has(mode)) ?? 'ReadWriteOnce';
  const stage = secretRef(source.nodeStageSecretRef);
  const publish = secretRef(source.nodePublishSecretRef);
  return {
    driver: source.driver,
    handle: source.volumeHandle,
    specName: metadata.name,
    lifecycle: 'Persistent',
    mode: use.asDevice ? 'Block' : 'Filesystem',
    fsType: source.fsType ?? '',
    readOnly: use.readOnly || source.readOnly === true,
    attributes: source.volumeAttributes ?? {},
    mountOptions: spec.mountOptions ?? [],
    // The API server admits no other mode.
    accessMode: accessMode as AccessMode,
    ...(stage === undefined ? {} : { stageSecret: stage }),
    ...(publish === undefined ? {} : { publishSecret: publish }),
  };
}

const secretRef = (ref: Partial<SecretRef> | undefined): SecretRef | undefined =>
  ref?.name === undefined || ref.name === '' ? undefined : { namespace: ref.namespace ?? '', name: ref.name };
