import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CsiConnections, CsiNode } from '../../src/csi/csi-client.ts';
import type { FetchToken } from '../../src/csi/driver-tokens.ts';
import {
  hasRecord,
  foundVolume,
  isMapped,
  stagedOf,
  stagedVolumes,
  unpublishVolume,
  unstageVolume,
  volumesOfPod,
  volumesOnNode,
  type FoundVolume,
  type WorkOutcome,
} from '../../src/csi/volume-work.ts';
import type { StagedVolume } from '../../src/csi/csi-volume.ts';
import { volumeFigures } from '../../src/csi/volume-figures.ts';
import type { DriverFigures } from '../../src/stats/pod-disk.ts';
import type { CsiPlace } from '../../src/csi/volume-places.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { DriverVolumeOutcome, DriverVolumeRemoval } from '../../src/volumes/plan/driver-volume-calls.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import type { KeyedWork } from './keyed-work.ts';
import type { CsiManagerProtocol, CsiManagerQuestion, VolumeOfPod } from './protocol.ts';
import { Registrar } from './registrar.ts';
import { Leftovers } from './leftovers.ts';
import { notRegistered, CsiMounter } from './csi-mounter.ts';
import { areJudged, driverNamed, type PluginEffect, pluginJudged, type Plugins, socketsSeen } from './state.ts';
import type { StorageObjects } from './storage-objects.ts';
import { keyOf, type VolumeUser, VolumeUsers } from './volume-users.ts';
import { dutyOf } from '../health-monitor/client.ts';
import { DutyOfParts } from '../../src/health/duty-of-parts.ts';
import { DriverDuties } from './driver-duties.ts';

export interface CsiManagerDeps {
  readonly place: CsiPlace;
  /** Called when the first plugin is seen. */
  readonly connections: () => Promise<CsiConnections>;
  readonly objects: StorageObjects;
  /** Tokens of pods' service accounts, for drivers that request them. */
  readonly token: FetchToken;
  /** Sockets in the plugin folder, by path. The text of a socket changes whenever another plugin may be behind it. */
  readonly sockets: () => Promise<ReadonlyMap<string, string>>;
  /**
   * Outlives an incarnation: work on a volume that one incarnation began ends before the next incarnation works on that
   * volume.
   */
  readonly work: KeyedWork;
  /** `true` if the API server must learn which attached volumes are in use. */
  readonly inCluster: boolean;
}

/** After a start, a hanging driver or an unreachable API delays the volumes of other drivers for at most this long. */
const FIRST_PLUGINS_WITHIN_MS = 5_000;
/** The part of registration that is no socket. */
const FOLDER = '';
/** Short, since pods wait for a driver that has just appeared. */
const SCAN_EVERY_MS = 1_000;
const MEASURED_WITHIN_MS = 5_000;

/** Knows the CSI drivers of this node, and has them make and remove the volumes of pods. */
export class CsiManager implements Actor<CsiManagerProtocol> {
  readonly #context: ActorContext<CsiManagerProtocol>;
  readonly #unstaging: DutyOfParts;
  readonly #registering: DutyOfParts;
  readonly #deps: CsiManagerDeps;
  readonly #users = new VolumeUsers();
  readonly #registrar: Registrar;
  readonly #csiMounter: CsiMounter;
  readonly #leftovers = new Leftovers();
  readonly #hasIt = (user: VolumeUser): boolean => hasRecord(this.#deps.place, user);
  #plugins: Plugins = new Map();
  #isListing = false;
  readonly #thoseAtHand = Promise.withResolvers<void>();
  /**
   * `false` until the plugins present at the start have been registered: before that, no driver can be called missing.
   */
  #knowsThoseAtHand = false;

  constructor(context: ActorContext<CsiManagerProtocol>, deps: CsiManagerDeps) {
    this.#context = context;
    this.#unstaging = new DutyOfParts(
      dutyOf(context, {
        work: 'unstage volumes that no pod uses',
        follows: 'they stay mounted, and their disks attached',
        isLoggedByActor: true,
      }),
    );
    this.#registering = new DutyOfParts(
      dutyOf(context, {
        work: 'register CSI plugins',
        follows: 'pods wait for the volumes of these drivers',
        isLoggedByActor: true,
      }),
    );
    this.#deps = deps;
    const watching = { drivers: new DriverDuties(context), registering: this.#registering };
    this.#registrar = new Registrar({ ...deps, ...watching }, context.log);
    this.#csiMounter = new CsiMounter({
      ...deps,
      log: context.log,
      driver: (name) => this.#driver(name),
      isUsedByOthers: (volume, user) => this.#users.isUsedByOthers(volume, user, this.#hasIt),
      use: (volume, user) => this.#users.add(volume, user),
      unstageIfUnused: (volume) => this.#unstageIfUnused(volume),
      reportInUse: (volumes) => context.ref(NODE_STATUS).tell({ type: 'volumes-in-use-changed', volumes }),
    });
  }

  /** Reads the users of volumes from the disk, whichever agent mounted them. */
  start(): void {
    for (const { record, podUid, specName } of volumesOnNode(this.#deps.place)) {
      if (record === undefined) continue;
      this.#users.add({ driver: record.driverName, handle: record.volumeHandle }, { podUid, specName });
    }
    // An earlier incarnation may still work on these volumes; the leftovers are handled after its work.
    for (const volume of stagedVolumes(this.#deps.place)) this.#leftovers.found(volume);
    this.#context.clock.after(FIRST_PLUGINS_WITHIN_MS, () => this.#goOn());
    this.#scan();
  }

  stop(): void {
    this.#registrar.close();
  }

  tell(command: CsiManagerProtocol['command']): void {
    const now = this.#context.clock.monotonic();
    switch (command.type) {
      case 'scan-due':
        return this.#scan();
      case 'sockets-listed': {
        const { plugins, effects } = socketsSeen(this.#plugins, command.sockets, now);
        this.#plugins = plugins;
        this.#registering.keep((socket) => plugins.has(socket));
        for (const effect of effects) this.#perform(effect);
        if (areJudged(plugins)) this.#goOn();
        return;
      }
      case 'plugin-checked':
        this.#plugins = pluginJudged(this.#plugins, command, now);
        if (areJudged(this.#plugins)) this.#goOn();
        return;
      default:
        return assertNever(command, 'CSI manager command');
    }
  }

  ask(
    question: CsiManagerQuestion,
  ): Promise<DriverVolumeOutcome> | Promise<DriverVolumeRemoval> | Promise<readonly (DriverFigures | undefined)[]> {
    switch (question.type) {
      case 'set-up-volume':
        return this.#whenKnown(() => this.#csiMounter.make(question.pod, question.plan));
      case 'tear-down-volumes':
        return this.#whenKnown(() => this.#takeAway(question.podUid));
      case 'measure-volumes':
        return Promise.all(question.volumes.map((volume) => this.#measure(volume)));
      default:
        return assertNever(question, 'question to the CSI manager');
    }
  }

  #whenKnown<T>(work: () => Promise<T>): Promise<T> {
    return this.#knowsThoseAtHand ? work() : this.#thoseAtHand.promise.then(work);
  }

  #goOn(): void {
    this.#knowsThoseAtHand = true;
    this.#thoseAtHand.resolve();
  }

  /** Each driver has its own deadline, so a hanging driver delays no figures of others. */
  #measure({ podUid, specName }: VolumeOfPod): Promise<DriverFigures | undefined> {
    const found = foundVolume(this.#deps.place, { podUid, specName });
    const node = found?.record === undefined ? undefined : this.#driver(found.record.driverName);
    if (found === undefined || node === undefined) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<DriverFigures | undefined>();
    const cancel = this.#context.clock.after(MEASURED_WITHIN_MS, () => resolve(undefined));
    void volumeFigures(node, found, this.#deps.place).then(resolve);
    return promise.finally(cancel);
  }

  #scan(): void {
    const { clock, self } = this.#context;
    this.#context.supervise(this.#listSockets());
    clock.after(SCAN_EVERY_MS, () => self.tell({ type: 'scan-due' }));
    for (const volume of this.#leftovers.due(clock.monotonic()))
      this.#context.supervise(this.#deps.work.run(keyOf(volume), () => this.#unstageIfUnused(volume)));
  }

  /** One list at a time: a disk that hangs must not collect threads. */
  async #listSockets(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    const attempt = this.#registering.attempt(FOLDER, 'the list of plugin sockets');
    const sockets = await this.#deps.sockets();
    attempt.dropped();
    this.#isListing = false;
    this.#context.self.tell({ type: 'sockets-listed', sockets });
  }

  #perform(effect: PluginEffect): void {
    const { self } = this.#context;
    switch (effect.type) {
      case 'register': {
        const { socket, version } = effect;
        const judged = this.#registrar
          .register(socket)
          .then((driver) => self.tell({ type: 'plugin-checked', socket, version, driver }));
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

  #driver(name: string): CsiNode | undefined {
    const driver = driverNamed(this.#plugins, name);
    return driver === undefined ? undefined : this.#registrar.node(name);
  }

  /** Removes all volumes, even if one fails. The next question retries the failed volumes. */
  async #takeAway(podUid: string): Promise<DriverVolumeRemoval> {
    const found = volumesOfPod(this.#deps.place, podUid);
    const mapped = found.find((volume) => isMapped(this.#deps.place, volume));
    if (mapped !== undefined) return { ok: false, message: `device ${mapped.specName} is still bound`, isMapped: true };
    const outcomes = await Promise.all(
      found.map((volume) => {
        const { record } = volume;
        const key = record === undefined ? `${podUid}/${volume.specName}` : keyOf(stagedOf(record, volume));
        return this.#deps.work.run(key, () => this.#unpublish(volume));
      }),
    );
    return outcomes.find((outcome) => !outcome.ok) ?? { ok: true };
  }

  async #unpublish(found: FoundVolume): Promise<WorkOutcome> {
    const { place } = this.#deps;
    const { record } = found;
    // A volume without a record was never requested from a driver.
    const node = record === undefined ? NO_DRIVER : this.#driver(record.driverName);
    if (node === undefined) return { ok: false, message: notRegistered(record?.driverName ?? '') };
    this.#csiMounter.isGoing(found);
    const gone = await unpublishVolume(node, found, place);
    if (!gone.ok || record === undefined) return gone;
    await this.#unstageIfUnused(stagedOf(record, found));
    return gone;
  }

  /** Runs within the keyed work on this volume. The pod does not wait; a failure is retried later. */
  async #unstageIfUnused(volume: StagedVolume): Promise<void> {
    const key = keyOf(volume);
    if (this.#users.isUsed(volume, this.#hasIt)) {
      this.#unstaging.worked(key);
      return this.#leftovers.done(volume);
    }
    const node = this.#driver(volume.driver);
    const outcome =
      node === undefined
        ? ({ ok: false, message: notRegistered(volume.driver) } as const)
        : await unstageVolume(node, volume, this.#deps.place);
    if (!outcome.ok) {
      this.#unstaging.failed(key, outcome.message);
      const isNew = this.#leftovers.failed(volume, this.#context.clock.monotonic());
      if (isNew)
        this.#context.log.warn(
          { driver: volume.driver, volume: volume.handle },
          `the volume could not be unstaged: ${outcome.message}; retrying`,
        );
      return;
    }
    this.#unstaging.worked(key);
    this.#leftovers.done(volume);
    this.#csiMounter.isUnstaged(volume);
  }
}

const NO_DRIVER = { unpublish: () => Promise.resolve({ ok: true, value: undefined } as const) };
