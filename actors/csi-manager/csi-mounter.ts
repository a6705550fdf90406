import type { Log } from '../../src/actor/log.ts';
import type { CsiNode } from '../../src/csi/csi-client.ts';
import {
  attachmentName,
  CSI_VOLUMES,
  ephemeralHandle,
  nodeOwnsGroup,
  podInfo,
  stagedAs,
  uniqueVolumeName,
  type CsiVolume,
  type PodOfVolume,
  type StagedVolume,
} from '../../src/csi/csi-volume.ts';
import { driverTokens, type FetchToken } from '../../src/csi/driver-tokens.ts';
import { boundVolume, claimedVolume, type ClaimedVolume, type Resolved } from '../../src/csi/resolve-claim.ts';
import type { VolumeGrowth } from '../../src/csi/volume-growth.ts';
import { publishedPath, type CsiPlace } from '../../src/csi/volume-places.ts';
import { expandVolume, publishVolume } from '../../src/csi/volume-work.ts';
import { matchesNode } from '../../src/node/admission/node-affinity.ts';
import type { DriverVolumeOutcome } from '../../src/volumes/plan/driver-volume-calls.ts';
import type { ClaimPlan, CsiPlan, DriverVolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import type { KeyedWork } from './keyed-work.ts';
import { keyOf, type VolumeKey, type VolumeUser } from './volume-users.ts';
import type { StorageObjects } from './storage-objects.ts';

export interface CsiMounterParts {
  readonly place: CsiPlace;
  readonly objects: StorageObjects;
  readonly token: FetchToken;
  readonly work: KeyedWork;
  readonly inCluster: boolean;
  readonly log: Log;
  readonly driver: (name: string) => CsiNode | undefined;
  readonly isUsedByOthers: (volume: VolumeKey, user: VolumeUser) => boolean;
  readonly use: (volume: VolumeKey, user: VolumeUser) => void;
  readonly unstageIfUnused: (volume: StagedVolume) => Promise<void>;
  /** Reports the attachable volumes that this node uses now. */
  readonly reportInUse: (volumes: readonly string[]) => void;
}

/**
 * Has drivers make the volumes of pods. Resolves the claims of a volume. Never waits for missing parts, and reports
 * them instead.
 */
export class CsiMounter {
  readonly #parts: CsiMounterParts;
  readonly #attached = new Set<string>();
  /** Publications that this incarnation completed. */
  readonly #published = new Set<string>();

  constructor(parts: CsiMounterParts) {
    this.#parts = parts;
  }

  /** Called before the volume is removed from its pod. */
  isGoing(volume: VolumeUser): void {
    this.#published.delete(publicationOf(volume, volume));
  }

  /** Called when no pod of this node uses the volume any more. */
  isUnstaged(volume: VolumeKey): void {
    if (this.#attached.delete(uniqueVolumeName(volume))) this.#reportInUse();
  }

  /** Safe to repeat. Never works twice on one volume at the same time. */
  async make(pod: PodOfVolume, plan: DriverVolumePlan): Promise<DriverVolumeOutcome> {
    const resolved = plan.type === 'claim' ? await this.#resolve(pod, plan) : inline(pod, plan);
    if (!resolved.ok) return { ...resolved, lacks: 'claim' };
    if (resolved.value.type === 'device') return { ok: true, ...resolved.value };
    if (resolved.value.type === 'plan') return { ok: true, type: 'plan', plan: resolved.value.plan };
    const { volume, growth } = resolved.value;
    return this.#parts.work.run(keyOf(volume), async () => {
      const published = await this.#publish(pod, volume);
      return growth === undefined || !published.ok ? published : this.#grow({ pod, volume, growth, published });
    });
  }

  async #resolve(pod: PodOfVolume, plan: ClaimPlan): Promise<Resolved<ClaimedVolume>> {
    const { objects, place } = this.#parts;
    const claim = await objects.claim(pod.namespace, plan.claim);
    const failed = (why: string) => ({
      ok: false as const,
      message: `error processing PVC ${pod.namespace}/${plan.claim}: ${why}`,
    });
    if (!claim.ok) return failed(`failed to fetch PVC from API server: ${claim.message}`);
    const bound = boundVolume(claim.value, { ephemeral: plan.ephemeral, podUid: pod.podUid });
    if (!bound.ok) return bound;
    const volume = await objects.volume(bound.value);
    if (!volume.ok) return failed(`failed to fetch PV ${bound.value} from API server: ${volume.message}`);
    // Names of folders are made of this name.
    if (volume.value.metadata.name !== bound.value) return failed(`the API server answered another PV: ${bound.value}`);
    const required = volume.value.spec?.nodeAffinity?.required;
    if (required !== undefined) {
      const node = await objects.node();
      if (!node.ok) return node;
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
      const labels = node.value.metadata.labels ?? {};
      if (!matchesNode({ containers: [], affinity }, { name: place.nodeName, labels })) {
        return { ok: false, message: `no matching NodeSelectorTerms: volume ${bound.value} cannot be on this node` };
      }
    }
    return claimedVolume(volume.value, claim.value, {
      volumeName: plan.name,
      readOnly: plan.readOnly,
      asDevice: plan.asDevice,
    });
  }

  async #publish(pod: PodOfVolume, volume: CsiVolume): Promise<DriverVolumeOutcome> {
    const { objects, place } = this.#parts;
    const node = this.#parts.driver(volume.driver);
    if (node === undefined) return { ok: false, message: notRegistered(volume.driver) };
    if (
      volume.accessMode === 'ReadWriteOncePod' &&
      this.#parts.isUsedByOthers(volume, { podUid: pod.podUid, specName: volume.specName })
    ) {
      return {
        ok: false,
        message: `volume uses the ReadWriteOncePod access mode and is already in use by another pod`,
      };
    }
    const driver = await objects.driver(volume.driver);
    if (!driver.ok) return driver;
    const attached = await this.#attachment(volume, driver.value?.attachRequired !== false);
    if (!attached.ok) return { ...attached, lacks: 'attachment' };
    const capabilities = await node.capabilities();
    if (!capabilities.ok) return { ok: false, message: capabilities.message };
    const publication = publicationOf(pod, volume);
    const again = driver.value?.requiresRepublish === true;
    const refresh = again || (volume.lifecycle === 'Persistent' && capabilities.value.has('EXPAND_VOLUME'));
    const owns = nodeOwnsGroup(volume, driver.value?.fsGroupPolicy, capabilities.value);
    const path = publishedPath(place, pod.podUid, volume);
    const device = { plugin: 'kubernetes.io~csi', specName: volume.specName, path } as const;
    const mounted: DriverVolumeOutcome =
      volume.mode === 'Block'
        ? { ok: true, type: 'device', volume: device, driver: volume.driver, ...(refresh ? { refresh } : {}) }
        : {
            ok: true,
            type: 'mounted',
            path,
            driver: volume.driver,
            ...(owns ? { place: [...CSI_VOLUMES.split('/'), volume.specName, 'mount'] } : {}),
            ...(refresh ? { refresh } : {}),
          };
    if (!again && this.#published.has(publication)) return mounted;
    const tokens = await driverTokens(pod, driver.value?.tokenRequests ?? [], this.#parts.token);
    if (!tokens.ok) return tokens;
    const inSecrets = driver.value?.serviceAccountTokenInSecrets === true;
    const [stage, publish] = [await this.#secret(volume.stageSecret), await this.#secret(volume.publishSecret)];
    if (!stage.ok) return stage;
    if (!publish.ok) return publish;
    // Before the call to the driver: from here on the volume may exist.
    this.#parts.use(volume, { podUid: pod.podUid, specName: volume.specName });
    const published = await publishVolume(
      node,
      {
        volume,
        pod,
        isStaged: this.#published.has(publication),
        capabilities: capabilities.value,
        attachmentId: attachmentName(volume, place.nodeName),
        publishContext: attached.value,
        stageSecrets: stage.value,
        publishSecrets: { ...publish.value, ...(inSecrets ? tokens.value : {}) },
        context: {
          ...(driver.value?.podInfoOnMount === true ? podInfo(pod, volume) : {}),
          ...(inSecrets ? {} : tokens.value),
        },
      },
      place,
    );
    if (!published.ok) {
      await this.#parts.unstageIfUnused(stagedAs(volume));
      return published;
    }
    this.#published.add(publication);
    return mounted;
  }

  /** Records the expansion in the claim's status; otherwise the claim would request the same expansion for ever. */
  async #grow({ pod, volume, growth, published }: Growing): Promise<DriverVolumeOutcome> {
    const { objects, place } = this.#parts;
    const node = this.#parts.driver(volume.driver);
    if (node === undefined) return { ok: false, message: notRegistered(volume.driver) };
    const capabilities = await node.capabilities();
    if (!capabilities.ok) return { ok: false, message: capabilities.message };
    if (!capabilities.value.has('EXPAND_VOLUME')) return published;
    const { bytes, capacity } = growth;
    const grown = await expandVolume(node, { volume, pod, capabilities: capabilities.value, bytes }, place);
    if (!grown.ok) return { ...grown, growing: true };
    if (grown.value === 'not now') return published;
    this.#parts.log.info({ volume: volume.specName, capacity }, 'the file system of a volume was expanded');
    const said = await objects.grown(growth);
    if (!said.ok) return said;
    return published.ok && published.type !== 'plan' ? { ...published, grown: true } : published;
  }

  /** Returns the attachment's metadata for the driver. An ephemeral volume is never attached. */
  async #attachment(volume: CsiVolume, isRequired: boolean): Promise<Resolved<Readonly<Record<string, string>>>> {
    if (!isRequired || volume.lifecycle === 'Ephemeral') return { ok: true, value: {} };
    const { objects, place, inCluster } = this.#parts;
    const name = uniqueVolumeName(volume);
    if (inCluster && !this.#attached.has(name)) {
      this.#attached.add(name);
      this.#reportInUse();
    }
    const attachment = await objects.attachment(attachmentName(volume, place.nodeName));
    if (!attachment.ok)
      return { ok: false, message: `volume ${volume.specName} is not attached yet: ${attachment.message}` };
    const { attached, attachmentMetadata = {}, attachError } = attachment.value;
    if (attached) return { ok: true, value: attachmentMetadata };
    return {
      ok: false,
      message: `volume ${volume.specName} is not attached yet${attachError === undefined ? '' : `: ${attachError.message ?? ''}`}`,
    };
  }

  #reportInUse(): void {
    this.#parts.reportInUse([...this.#attached].sort());
  }

  async #secret(ref: CsiVolume['stageSecret']): Promise<Resolved<Readonly<Record<string, string>>>> {
    return ref === undefined ? { ok: true, value: {} } : this.#parts.objects.secret(ref);
  }
}

interface Growing {
  readonly pod: PodOfVolume;
  readonly volume: CsiVolume;
  readonly growth: VolumeGrowth;
  readonly published: DriverVolumeOutcome;
}

const publicationOf = ({ podUid }: Pick<PodOfVolume, 'podUid'>, { specName }: Pick<CsiVolume, 'specName'>): string =>
  `${podUid}/${specName}`;

export const notRegistered = (driver: string): string =>
  `driver name ${driver} not found in the list of registered CSI drivers`;

function inline({ podUid, namespace }: PodOfVolume, plan: CsiPlan): Resolved<ClaimedVolume> {
  const volume: CsiVolume = {
    driver: plan.driver,
    handle: ephemeralHandle(podUid, plan.name),
    specName: plan.name,
    lifecycle: 'Ephemeral',
    mode: 'Filesystem',
    fsType: plan.fsType,
    readOnly: plan.readOnly,
    attributes: plan.attributes,
    mountOptions: [],
    accessMode: 'ReadWriteOnce',
    ...(plan.publishSecret === undefined ? {} : { publishSecret: { namespace, name: plan.publishSecret } }),
  };
  return { ok: true, value: { type: 'csi', volume } };
}
