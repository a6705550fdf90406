import type { WallMs } from '../../actor/clock.ts';
import { buildPayload } from '../plan/build-payload.ts';
import { checkHostPath } from './check-host-path.ts';
import type { MissingForVolume } from '../plan/driver-volume-calls.ts';
import { HeldParents } from './held-parents.ts';
import type { Mounter } from './mounter.ts';
import { isCode, OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';
import { hasOlderVersions, writeAtomically } from './atomic-writer.ts';
import { giveToGroup, type GroupOwnership } from './volume-ownership.ts';
import type { EmptyDirPlan, FetchedSource, FilesPlan, LocalPlan, PodVolumes, VolumePlan } from '../plan/volume-plan.ts';
import { readyMarker, volumePlace } from '../plan/volume-place.ts';
import { messageOf } from '../../kube/text/message-of.ts';

/** Order to set up one volume of one pod with this content, present already or not. */
export interface SetUpOrder {
  readonly type: 'set-up';
  readonly rootDir: string;
  readonly pod: Pick<PodVolumes, 'podUid' | 'fsGroup' | 'fsGroupChangePolicy'>;
  readonly plan: VolumePlan;
  /** For a volume of files: the fetched data of each source. */
  readonly fetched: readonly FetchedSource[];
  /** For a volume of files: `keep` while a container that mounts the volume starts. */
  readonly olderVersions?: 'keep';
}

export interface VolumeTools {
  readonly mounter: Mounter;
  readonly now: () => WallMs;
  readonly chance: () => number;
  /** `true` if the kernel's tmpfs knows `noswap` (6.4 and later). */
  readonly tmpfsNoSwap: boolean;
}

/** `warning`: the volume works, with a limitation. */
export type VolumeOutcome =
  /** `path`: set for a volume whose place cannot be derived from the pod alone. */
  | {
      readonly ok: true;
      readonly warning?: string;
      readonly path?: string;
      /** `true` if the volume must be set up again from time to time. */
      readonly refresh?: boolean;
      /** For volumes of claims: the full name of the plugin that made the volume. */
      readonly plugin?: string;
      /** Present when the volume has just been expanded. */
      readonly grown?: true;
      /** Present when older versions of the content were kept. */
      readonly kept?: true;
    }
  /** `growing`: the failed step was an expansion. */
  | { readonly ok: false; readonly message: string; readonly lacks?: MissingForVolume; readonly growing?: true };

const DONE: VolumeOutcome = { ok: true };
const DIRECTORY_MODE = 0o750;
const VOLUME_MODE = 0o777;

/** For orders of one batch, as long as nothing below the parents is removed. */
export const holdParents = (): HeldParents => new HeldParents(DIRECTORY_MODE);
const NONE_HELD = holdParents();
NONE_HELD.close();

/** Sets up a volume. Never rejects: errors are outcomes. May be repeated, also after an interruption at any point. */
export async function setUpVolume(
  order: SetUpOrder,
  tools: VolumeTools,
  parents: HeldParents = NONE_HELD,
): Promise<VolumeOutcome> {
  try {
    switch (order.plan.type) {
      case 'refused':
        return { ok: false, message: order.plan.message };
      case 'host-path': {
        const message = await checkHostPath(order.plan);
        return message === undefined ? DONE : { ok: false, message };
      }
      case 'empty-dir':
        return await setUpEmptyDir(order, order.plan, tools);
      case 'files':
        return await setUpFiles(order, order.plan, { ...tools, parents });
      case 'local':
        return await setUpLocal(order, order.plan, tools);
      case 'claim':
      case 'csi':
        return { ok: false, message: `volume ${order.plan.name} must be set up by its driver` };
      default:
        return order.plan satisfies never;
    }
  } catch (error) {
    return { ok: false, message: readable(error) };
  }
}

async function setUpEmptyDir(order: SetUpOrder, plan: EmptyDirPlan, tools: VolumeTools): Promise<VolumeOutcome> {
  return within(openVolume(order, plan), async (volume) => {
    const warning = await mountEmptyDir(volume, plan, tools);
    const group = groupOf(order, 'read-write');
    if (group !== undefined && !isReady(order, plan)) giveToGroup(volume, group);
    markReady(order, plan);
    return warning === undefined ? DONE : { ok: true, warning };
  });
}

async function setUpLocal(order: SetUpOrder, plan: LocalPlan, tools: VolumeTools): Promise<VolumeOutcome> {
  const path = volumePath(order, plan);
  const source = OpenDirectory.open(plan.path);
  return within(source, async (found) => {
    const { dev, ino } = found.stat();
    const isThere = await within(openVolume(order, plan), (volume) => {
      const there = volume.stat();
      return there.dev === dev && there.ino === ino;
    });
    if (!isThere) {
      await within(openVolume(order, plan), (volume) =>
        tools.mounter.bind(found.pathFor(tools.mounter.pid), volume.pathFor(tools.mounter.pid)),
      );
    }
    const group = groupOf(order, 'read-write');
    if (group !== undefined) await within(openVolume(order, plan), (volume) => giveToGroup(volume, group));
    return { ok: true, path };
  });
}

/** The path as the runtime receives it. */
const volumePath = ({ rootDir, pod }: SetUpOrder, plan: VolumePlan): string =>
  [rootDir, 'pods', pod.podUid, ...(volumePlace(plan) ?? [])].join('/');

async function setUpFiles(
  order: SetUpOrder,
  plan: FilesPlan,
  tools: VolumeTools & { readonly parents: HeldParents },
): Promise<VolumeOutcome> {
  const built = buildPayload(plan, order.fetched, { fsGroup: order.pod.fsGroup });
  if (!built.ok) return built;
  return within(openVolume(order, plan, tools.parents), async (volume) => {
    const { memoryBytes } = plan;
    const medium: EmptyDirPlan = {
      type: 'empty-dir',
      name: plan.name,
      medium: memoryBytes === undefined ? 'disk' : 'memory',
      ...(memoryBytes === undefined ? {} : { sizeBytes: memoryBytes }),
    };
    const warning = await mountEmptyDir(volume, medium, tools);
    const write = (top: OpenDirectory): VolumeOutcome => {
      const group = groupOf(order, 'read-only');
      const written = writeAtomically(top, built.payload, {
        now: tools.now(),
        chance: tools.chance(),
        ...(group === undefined ? {} : { group }),
        ...(order.olderVersions === undefined ? {} : { olderVersions: order.olderVersions }),
      });
      if (group !== undefined && written === 'written') giveToGroup(top, { ...group, policy: 'Always' });
      const kept = order.olderVersions === 'keep' && hasOlderVersions(top);
      if (warning === undefined && !kept) return DONE;
      return { ok: true, ...(warning !== undefined && { warning }), ...(kept && { kept }) };
    };
    // The mount covers the directory that is held open, so the directory is opened again.
    return memoryBytes === undefined ? write(volume) : within(openVolume(order, plan), write);
  });
}

/** Ensures that the volume is a directory of the right kind at the end, mounted or not. */
async function mountEmptyDir(
  volume: OpenDirectory,
  plan: EmptyDirPlan,
  { mounter, tmpfsNoSwap }: VolumeTools,
): Promise<string | undefined> {
  if (plan.medium === 'disk') {
    if ((volume.stat().mode & VOLUME_MODE) !== VOLUME_MODE) volume.chmod(VOLUME_MODE);
    return undefined;
  }
  const target = volume.pathFor(mounter.pid);
  const parent = OpenDirectory.open(`${volume.path}/..`);
  const isMounted = OpenDirectory.within(parent, (above) => above.stat().dev !== volume.stat().dev);
  if (isMounted) return undefined;
  if (plan.medium === 'huge-pages') {
    await mounter.mount({ type: 'hugetlbfs', source: 'nodev', target, options: `pagesize=${plan.pageSize ?? '2M'}` });
    return undefined;
  }
  const options = [
    ...(plan.sizeBytes === undefined ? [] : [`size=${plan.sizeBytes}`]),
    ...(tmpfsNoSwap ? ['noswap'] : []),
  ];
  try {
    await mounter.mount({ type: 'tmpfs', source: 'tmpfs', target, options: options.join(',') || 'rw' });
    return undefined;
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    volume.chmod(VOLUME_MODE);
    return 'this process may not mount tmpfs: volumes in memory are kept on the disk instead';
  }
}

const isNotPermitted = (error: unknown): boolean =>
  error instanceof Error && /permission denied|must be superuser|not permitted|ENOENT/i.test(error.message);

function openVolume({ rootDir, pod }: SetUpOrder, plan: VolumePlan, parents = NONE_HELD): OpenDirectory {
  const place = volumePlace(plan);
  if (place === undefined) throw new Error(`the volume ${plan.name} has no directory`);
  const [volumes, plugin, name] = place;
  if (!isEntryName(pod.podUid)) throw new Error(`${JSON.stringify(pod.podUid)} cannot be the name of a directory`);
  return parents.within(rootDir, ['pods', pod.podUid, volumes, plugin], (parent) =>
    parent.ensureChild(name, VOLUME_MODE),
  );
}

const groupOf = ({ pod }: SetUpOrder, access: GroupOwnership['access']): GroupOwnership | undefined =>
  pod.fsGroup === undefined ? undefined : { gid: pod.fsGroup, access, policy: pod.fsGroupChangePolicy };

const NOTHING = new Uint8Array();

function isReady({ rootDir, pod }: SetUpOrder, plan: EmptyDirPlan): boolean {
  const marker = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.descendantIfThere(['pods', pod.podUid, ...readyMarker(plan)]),
  );
  return marker !== undefined && OpenDirectory.within(marker, (directory) => directory.statOf('ready') !== undefined);
}

function markReady({ rootDir, pod }: SetUpOrder, plan: EmptyDirPlan): void {
  const marker = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.ensureDescendant(['pods', pod.podUid, ...readyMarker(plan)], DIRECTORY_MODE),
  );
  OpenDirectory.within(marker, (directory) => {
    try {
      directory.writeNewFile('ready', NOTHING, { mode: 0o644 });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
  });
}

async function within<T>(directory: OpenDirectory, work: (directory: OpenDirectory) => T | Promise<T>): Promise<T> {
  try {
    return await work(directory);
  } finally {
    directory.close();
  }
}

/** Returns the error text without paths through `/proc`, which mean nothing to users. */
export const readable = (error: unknown): string => messageOf(error).replace(/\/proc\/(self|\d+)\/fd\/\d+\/?/g, '');
