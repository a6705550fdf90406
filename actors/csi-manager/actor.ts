import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CsiConnections, CsiNode } from '../../src/csi/csi-client.ts';
import {
  attachmentName,
  CSI_VOLUMES,
  ephemeralHandle,
  nodeOwnsGroup,
  podInfo,
  uniqueVolumeName,
  type CsiVolume,
  type PodOfVolume,
} from '../../src/csi/csi-volume.ts';
import { boundVolume, claimedVolume, type ClaimedVolume, type Resolved } from '../../src/csi/resolve-claim.ts';
import {
  hasRecord,
  publishVolume,
  stagedVolumes,
  unpublishVolume,
  unstageVolume,
  volumesOfPod,
  volumesOnNode,
  type CsiPlace,
  type FoundVolume,
  type WorkOutcome,
} from '../../src/csi/volume-work.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import { matchesNode } from '../../src/node/node-affinity.ts';
import type { ForeignOutcome } from '../../src/volumes/foreign-volumes.ts';
import type { VolumeOutcome } from '../../src/volumes/set-up-volume.ts';
import type { ClaimPlan, CsiPlan, ForeignPlan } from '../../src/volumes/volume-plan.ts';
import { NODE_STATUS, type NodeStatusProtocol } from '../node-status/protocol.ts';
import type { KeyedWork } from './keyed-work.ts';
import type { CsiManagerCommand, CsiManagerProtocol, CsiManagerQuestion } from './protocol.ts';
import { Registrar } from './registrar.ts';
import { Leftovers } from './leftovers.ts';
import {
  driverNamed,
  keyOf,
  pluginJudged,
  socketsSeen,
  VolumeUsers,
  type PluginEffect,
  type Plugins,
  type VolumeKey,
  type VolumeUser,
} from './state.ts';
import type { StorageObjects } from './storage-objects.ts';

export interface CsiManagerDeps {
  readonly place: CsiPlace;
  /** Made when the first plugin is seen. */
  readonly connections: () => Promise<CsiConnections>;
  readonly objects: StorageObjects;
  /** Sockets in the folder of plugins, by path; each with a text that is another when the plugin behind it may be. */
  readonly sockets: () => Promise<ReadonlyMap<string, string>>;
  /** Outlives an incarnation: what one has begun at a driver is over before the next one begins on the same volume. */
  readonly work: KeyedWork;
  /** Where volumes that must be attached are said to be in use. */
  readonly inCluster: boolean;
}

/** A driver that has just come is waited for by pods. */
const LOOK_EVERY_MS = 1_000;

/** Knows the CSI drivers of this node, and has them make the volumes of pods and take them away. */
export class CsiManager implements Actor<CsiManagerProtocol> {
  readonly #context: ActorContext<CsiManagerProtocol>;
  readonly #deps: CsiManagerDeps;
  readonly #users = new VolumeUsers();
  readonly #registrar: Registrar;
  readonly #attached = new Set<string>();
  readonly #leftovers = new Leftovers();
  readonly #hasIt = (user: VolumeUser): boolean => hasRecord(this.#deps.place, user);
  #plugins: Plugins = new Map();

  constructor(context: ActorContext<CsiManagerProtocol>, deps: CsiManagerDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#registrar = new Registrar(deps, context.log);
  }

  /** Who uses what is read from the disk: whoever mounted it, and whatever became of them. */
  start(): void {
    for (const { record, podUid, specName } of volumesOnNode(this.#deps.place)) {
      if (record === undefined) continue;
      this.#users.add({ driver: record.driverName, handle: record.volumeHandle }, { podUid, specName });
    }
    // An earlier incarnation may yet be at work on them: what is left is looked at after that.
    for (const volume of stagedVolumes(this.#deps.place)) this.#leftovers.found(volume);
    this.#look();
  }

  stop(): void {
    this.#registrar.close();
  }

  tell(command: CsiManagerCommand): void {
    const now = this.#context.clock.monotonic();
    switch (command.type) {
      case 'look-due':
        return this.#look();
      case 'looked': {
        const { plugins, effects } = socketsSeen(this.#plugins, command.sockets, now);
        this.#plugins = plugins;
        for (const effect of effects) this.#perform(effect);
        return;
      }
      case 'plugin-judged':
        this.#plugins = pluginJudged(this.#plugins, command, now);
        return;
      default:
        return assertNever(command, 'CSI manager command');
    }
  }

  ask(question: CsiManagerQuestion): Promise<ForeignOutcome> | Promise<VolumeOutcome> {
    switch (question.type) {
      case 'make-volume':
        return this.#make(question.pod, question.plan);
      case 'take-volumes-away':
        return this.#takeAway(question.podUid);
      default:
        return assertNever(question, 'question to the CSI manager');
    }
  }

  #look(): void {
    const { clock, self } = this.#context;
    const looked = this.#deps.sockets().then((sockets) => self.tell({ type: 'looked', sockets }));
    this.#context.supervise(looked);
    clock.after(LOOK_EVERY_MS, () => self.tell({ type: 'look-due' }));
    for (const volume of this.#leftovers.due(clock.monotonic()))
      this.#context.supervise(this.#deps.work.run(keyOf(volume), () => this.#unstageIfUnused(volume)));
  }

  #perform(effect: PluginEffect): void {
    const { self } = this.#context;
    switch (effect.type) {
      case 'register': {
        const { socket, version } = effect;
        const judged = this.#registrar
          .register(socket)
          .then((driver) => self.tell({ type: 'plugin-judged', socket, version, driver }));
        return this.#context.supervise(judged);
      }
      case 'forget': {
        const { name } = effect.driver;
        return this.#context.supervise(this.#registrar.forget(name));
      }
      default:
        return assertNever(effect, 'CSI manager effect');
    }
  }

  async #make(pod: PodOfVolume, plan: ForeignPlan): Promise<ForeignOutcome> {
    const resolved = plan.type === 'claim' ? await this.#resolve(pod, plan) : inline(pod, plan);
    if (!resolved.ok) return resolved;
    if (resolved.value.type === 'plan') return { ok: true, type: 'plan', plan: resolved.value.plan };
    const { volume } = resolved.value;
    return this.#deps.work.run(keyOf(volume), () => this.#publish(pod, volume));
  }

  async #resolve(pod: PodOfVolume, plan: ClaimPlan): Promise<Resolved<ClaimedVolume>> {
    const { objects, place } = this.#deps;
    const claim = await objects.claim(pod.namespace, plan.claim);
    if (!claim.ok) return claim;
    const bound = boundVolume(claim.value, { ephemeral: plan.ephemeral, podUid: pod.podUid });
    if (!bound.ok) return bound;
    const volume = await objects.volume(bound.value);
    if (!volume.ok) return volume;
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

  async #publish(pod: PodOfVolume, volume: CsiVolume): Promise<ForeignOutcome> {
    const { objects, place } = this.#deps;
    const node = this.#driver(volume.driver);
    if (node === undefined) return { ok: false, message: notRegistered(volume.driver) };
    if (volume.accessMode === 'ReadWriteOncePod' && this.#users.isUsedByOthers(volume, pod, this.#hasIt)) {
      return {
        ok: false,
        message: `volume uses the ReadWriteOncePod access mode and is already in use by another pod`,
      };
    }
    const driver = await objects.driver(volume.driver);
    if (!driver.ok) return driver;
    const attached = await this.#attachment(volume, driver.value?.attachRequired !== false);
    if (!attached.ok) return attached;
    const capabilities = await node.capabilities();
    if (!capabilities.ok) return { ok: false, message: capabilities.message };
    const [stage, publish] = [await this.#secret(volume.stageSecret), await this.#secret(volume.publishSecret)];
    if (!stage.ok) return stage;
    if (!publish.ok) return publish;
    // Before the driver is asked: from here on something may be there.
    this.#users.add(volume, { podUid: pod.podUid, specName: volume.specName });
    const published = await publishVolume(
      node,
      {
        volume,
        pod,
        capabilities: capabilities.value,
        attachmentId: attachmentName(volume, place.nodeName),
        publishContext: attached.value,
        stageSecrets: stage.value,
        publishSecrets: publish.value,
        context: driver.value?.podInfoOnMount === true ? podInfo(pod, volume) : {},
      },
      place,
    );
    if (!published.ok) {
      await this.#unstageIfUnused(volume);
      return published;
    }
    const path = published.value;
    const owns = nodeOwnsGroup(volume, driver.value?.fsGroupPolicy, capabilities.value);
    return owns
      ? { ok: true, type: 'mounted', path, place: [...CSI_VOLUMES.split('/'), volume.specName, 'mount'] }
      : { ok: true, type: 'mounted', path };
  }

  #driver(name: string): CsiNode | undefined {
    const driver = driverNamed(this.#plugins, name);
    return driver === undefined ? undefined : this.#registrar.node(name);
  }

  /** What the attachment of the volume says to the driver. A volume that lives with its pod is never attached. */
  async #attachment(volume: CsiVolume, isRequired: boolean): Promise<Resolved<Readonly<Record<string, string>>>> {
    if (!isRequired || volume.lifecycle === 'Ephemeral') return { ok: true, value: {} };
    const { objects, place, inCluster } = this.#deps;
    const name = uniqueVolumeName(volume);
    if (inCluster && !this.#attached.has(name)) {
      this.#attached.add(name);
      this.#tellInUse();
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

  #tellInUse(): void {
    this.#context
      .ref<NodeStatusProtocol>(NODE_STATUS)
      .tell({ type: 'volumes-in-use-changed', volumes: [...this.#attached].sort() });
  }

  async #secret(ref: CsiVolume['stageSecret']): Promise<Resolved<Readonly<Record<string, string>>>> {
    return ref === undefined ? { ok: true, value: {} } : this.#deps.objects.secret(ref);
  }

  /** All of them, whatever becomes of one: what failed is tried again with the next question. */
  async #takeAway(podUid: string): Promise<VolumeOutcome> {
    const found = volumesOfPod(this.#deps.place, podUid);
    const outcomes = await Promise.all(
      found.map((volume) => {
        const { record } = volume;
        const key = record === undefined ? `${podUid}/${volume.specName}` : keyOf(volumeOf(record));
        return this.#deps.work.run(key, () => this.#unpublish(volume));
      }),
    );
    return outcomes.find((outcome) => !outcome.ok) ?? { ok: true };
  }

  async #unpublish(found: FoundVolume): Promise<WorkOutcome> {
    const { place } = this.#deps;
    const { record } = found;
    // Of a volume that nothing was written of no driver was ever asked.
    const node = record === undefined ? NOBODY : this.#driver(record.driverName);
    if (node === undefined) return { ok: false, message: notRegistered(record?.driverName ?? '') };
    const gone = await unpublishVolume(node, found, place);
    if (!gone.ok || record === undefined) return gone;
    await this.#unstageIfUnused(volumeOf(record));
    return gone;
  }

  /** Within the work on this volume. The pod does not wait for it: what fails is tried again by and by. */
  async #unstageIfUnused(volume: VolumeKey): Promise<void> {
    if (this.#users.isUsed(volume, this.#hasIt)) return this.#leftovers.done(volume);
    const node = this.#driver(volume.driver);
    const outcome =
      node === undefined
        ? ({ ok: false, message: notRegistered(volume.driver) } as const)
        : await unstageVolume(node, volume, this.#deps.place);
    if (!outcome.ok) {
      const isNew = this.#leftovers.failed(volume, this.#context.clock.monotonic());
      if (isNew) this.#context.log.warn({ driver: volume.driver, volume: volume.handle }, outcome.message);
      return;
    }
    this.#leftovers.done(volume);
    if (this.#attached.delete(uniqueVolumeName(volume))) this.#tellInUse();
  }
}

const volumeOf = ({ driverName, volumeHandle }: { readonly driverName: string; readonly volumeHandle: string }) => ({
  driver: driverName,
  handle: volumeHandle,
});

const NOBODY = { unpublish: () => Promise.resolve({ ok: true, value: undefined } as const) };

const notRegistered = (driver: string): string =>
  `driver name ${driver} not found in the list of registered CSI drivers`;

function inline({ podUid, namespace }: PodOfVolume, plan: CsiPlan): Resolved<ClaimedVolume> {
  const volume: CsiVolume = {
    driver: plan.driver,
    handle: ephemeralHandle(podUid, plan.name),
    specName: plan.name,
    lifecycle: 'Ephemeral',
    fsType: plan.fsType,
    readOnly: plan.readOnly,
    attributes: plan.attributes,
    mountOptions: [],
    accessMode: 'ReadWriteOnce',
    ...(plan.publishSecret === undefined ? {} : { publishSecret: { namespace, name: plan.publishSecret } }),
  };
  return { ok: true, value: { type: 'csi', volume } };
}
