import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import { podLogDirectory } from '../../src/pod/values/pod-log-path.ts';
import { podDir } from '../../src/pod/values/pod-paths.ts';
import { onlyCpuAndMemory, withDisk } from '../../src/stats/add-disk.ts';
import { blockDevices } from '../../src/stats/cadvisor-details.ts';
import { cadvisorMetrics, type MachineFigures } from '../../src/stats/cadvisor-metrics.ts';
import { type CgroupDetails, readCgroupDetails } from '../../src/stats/cgroup-details.ts';
import { CpuRates } from '../../src/stats/cpu-rates.ts';
import { DetailReader, PACE_OF_CGROUPS, PACE_OF_PROCESSES } from '../../src/stats/detail-reader.ts';
import type { ClaimFigures, ContainerLogSize, StatsMetrics } from './metrics.ts';
import {
  cgroupSource,
  measureGroups,
  measureNode,
  nodeMemory,
  FIGURE_WITHIN_MS,
  type ConfiguredCgroups,
  type NodeMeasuring,
} from '../../src/stats/measure-node.ts';
import { measurePods, type FiguresFrom, type MeasuredPod } from '../../src/stats/measure-pods.ts';
import type { MeasuredDriverVolume, PodDisk } from '../../src/stats/pod-disk.ts';
import { type ProcessDetails, readProcessDetails } from '../../src/stats/process-details.ts';
import { resourceMetrics } from '../../src/stats/resource-metrics.ts';
import type { StatsHost } from '../../src/stats/stats-host.ts';
import type { NodeStats, PodStats, Summary } from '../../src/stats/summary.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';
import { Kept } from './kept.ts';
import type {
  DiskDevices,
  Extent,
  StatsCollectorCommand,
  StatsCollectorProtocol,
  StatsCollectorQuestion,
} from './protocol.ts';
import { afterWalk, nextWalk, nothingWalked, want, wantNothing, type WalkState } from './state.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface StatsCollectorDeps {
  readonly host: StatsHost;
  readonly cri: CriClient;
  readonly node: NodeFacts;
  readonly machine: MachineFigures;
  /** The cgroups that the configuration names for the runtime and for other processes. */
  readonly configured?: ConfiguredCgroups;
  /**
   * Walks pods' files on another thread. Pods not reached within the time limit are left out. `undefined` when the walk
   * was lost.
   */
  readonly walk: (pods: readonly PodFolders[]) => Promise<readonly PodDisk[] | undefined>;
  /** Approximate interval between walks of a pod's files; zero or less: never. */
  readonly walkEveryMs: number;
  /** Called when a driver reports an abnormal volume of a pod. `undefined` when such reports are not used. */
  readonly abnormal?: (pod: PodStats['podRef'], volume: { readonly name: string; readonly condition: string }) => void;
  /** `undefined` when nothing is counted. */
  readonly metrics?: StatsMetrics;
}

/** How long a question may wait for a walk. */
const WALKED_WITHIN_MS = 8_000;
const MEASURED_FOR_CLAIMS_MS = 60_000;

type PodStatsQuestion = Extract<StatsCollectorQuestion, { type: 'pod-stats' }>;

/** Measures what the node, its pods and their containers use, and only when asked. */
export class StatsCollector implements Actor<StatsCollectorProtocol> {
  readonly #context: ActorContext<StatsCollectorProtocol>;
  readonly #measuresPods: Duty;
  readonly #deps: StatsCollectorDeps;
  readonly #rates = new CpuRates();
  readonly #node: Kept<NodeStats>;
  readonly #pods: Kept<readonly MeasuredPod[] | undefined>;
  readonly #details: DetailReader<CgroupDetails>;
  readonly #processes: DetailReader<ProcessDetails | undefined>;
  #figuresFrom: FiguresFrom = 'pods';
  #folders: readonly PodFolders[] = [];
  #refs: readonly PodStats['podRef'][] = [];
  #walks: WalkState = nothingWalked;
  /** Called when a walk has ended. */
  readonly #waiting = new Set<() => void>();

  constructor(context: ActorContext<StatsCollectorProtocol>, deps: StatsCollectorDeps) {
    this.#context = context;
    this.#measuresPods = dutyOf(context, {
      work: 'measure pods',
      follows: 'collectors and evictions see no usage of pods',
      rhythm: 'on-demand',
    });
    this.#deps = deps;
    const { clock } = context;
    deps.metrics?.logsOf(() => this.#logSizes());
    deps.metrics?.claimsOf(() => this.#claims());
    const source = cgroupSource(deps);
    this.#details = new DetailReader((cgroup) => readCgroupDetails(source, cgroup), {
      after: (delayMs, fire) => clock.after(delayMs, fire),
      pace: PACE_OF_CGROUPS,
    });
    const { descriptors } = deps.host;
    this.#processes = new DetailReader((cgroup) => readProcessDetails(source, cgroup, descriptors), {
      after: (delayMs, fire) => clock.after(delayMs, fire),
      pace: PACE_OF_PROCESSES,
    });
    this.#node = new Kept(clock, () => measureNode(this.#measuring()));
    this.#pods = new Kept(clock, () => this.#measurePods());
  }

  tell(command: StatsCollectorCommand): void {
    const now = this.#context.clock.monotonic();
    const time = new Date(this.#context.clock.now()).toISOString();
    // Spread out, so that the pods of a node are not walked all at the same time for ever.
    const dueAt = (): MonotonicMs => later(now, this.#deps.walkEveryMs * (1 + this.#context.random()));
    for (const { uid, driverVolumes } of command.walked) this.#reportAbnormal(uid, driverVolumes ?? []);
    const walked = command.walked.map((each) => ({ disk: { ...each, time }, at: now, dueAt: dueAt() }));
    this.#walks = afterWalk(this.#walks, walked);
    // When this walk was lost, no caller waits for the next one.
    if (walked.length > 0) this.#walkOn();
    else this.#walks = wantNothing(this.#walks);
    for (const look of this.#waiting) look();
  }

  ask(question: StatsCollectorQuestion): unknown {
    switch (question.type) {
      case 'summary':
        return this.#summary(question.maxAgeMs, question.extent);
      case 'summary-text':
        return this.#summary(question.maxAgeMs, question.extent).then((summary) => summary && JSON.stringify(summary));
      case 'node-stats':
        return this.#node.within(question.maxAgeMs);
      case 'pod-stats':
        return this.#podStats(question);
      case 'node-memory':
        return { memory: nodeMemory(this.#measuring()) };
      case 'disk-devices':
        return this.#devices();
      case 'resource-metrics':
        return this.#both(question.maxAgeMs).then(([node, pods]) =>
          resourceMetrics(
            node,
            pods?.map(({ stats }) => stats),
          ),
        );
      case 'cadvisor-metrics': {
        const { machine } = this.#deps;
        return this.#both(question.maxAgeMs).then(([node, pods = []]) => {
          const cgroups = pods.flatMap(({ containers }) => containers.flatMap(({ cgroup }) => cgroup ?? []));
          const groups = measureGroups(this.#measuring(), node.startTime);
          const details = this.#details.detailsOf(['/', ...groups.map(({ cgroup }) => cgroup), ...cgroups]);
          const held = this.#processes.detailsOf(cgroups);
          const deviceOf = blockDevices(this.#deps.host.read('/proc/partitions'));
          const now = this.#context.clock.now();
          return cadvisorMetrics({ node, pods, groups, machine, now, details, held, deviceOf });
        });
      }
      default:
        return assertNever(question, 'stats collector question');
    }
  }

  /** Reports an abnormal volume once for as long as the condition lasts. */
  #reportAbnormal(uid: string, volumes: readonly MeasuredDriverVolume[]): void {
    const before = this.#walks.walked.get(uid)?.disk.driverVolumes ?? [];
    const wasAbnormal = new Set(before.flatMap(({ name, isAbnormal }) => (isAbnormal === true ? [name] : [])));
    const news = volumes.filter(({ name, isAbnormal }) => isAbnormal === true && !wasAbnormal.has(name));
    if (news.length === 0) return;
    const pod = this.#refs.find((each) => each.uid === uid);
    if (pod === undefined) return;
    for (const { name, condition = 'the driver reports the volume as abnormal' } of news) {
      this.#deps.abnormal?.(pod, { name, condition });
    }
  }

  #both(maxAgeMs: number): Promise<[NodeStats, readonly MeasuredPod[] | undefined]> {
    return Promise.all([this.#node.within(maxAgeMs), this.#pods.within(maxAgeMs)]);
  }

  async #summary(maxAgeMs: number, extent: Extent): Promise<Summary | undefined> {
    const [node, measured] = await this.#both(maxAgeMs);
    if (measured === undefined) return undefined;
    if (extent === 'cpu-and-memory') return onlyCpuAndMemory({ node, pods: measured.map(({ stats }) => stats) });
    this.#walkOn();
    return { node, pods: measured.map(({ stats }) => this.#withDisk(stats, node)) };
  }

  async #podStats({ maxAgeMs, of, walkedWithinMs }: PodStatsQuestion): Promise<readonly PodStats[] | undefined> {
    // Free disk space changes little while pods are measured.
    const [node, measured] = await Promise.all([this.#node.within(maxAgeMs || 1_000), this.#pods.within(maxAgeMs)]);
    if (measured === undefined) return undefined;
    this.#walkOn();
    const wanted = of === 'all' ? undefined : new Set<string>(of);
    const picked = measured.filter(({ stats }) => wanted?.has(stats.podRef.uid) ?? true);
    if (walkedWithinMs !== undefined) {
      await this.#walked(
        picked.map(({ stats }) => stats.podRef.uid),
        walkedWithinMs,
      );
    }
    return picked.map(({ stats }) => this.#withDisk(stats, node));
  }

  #logSizes(): readonly ContainerLogSize[] {
    return this.#refs.flatMap(({ uid, namespace, name: pod }) =>
      Object.entries(this.#walks.walked.get(uid)?.disk.logs ?? {}).map(([container, { usedBytes: bytes }]) => ({
        uid,
        namespace,
        pod,
        container,
        bytes,
      })),
    );
  }

  /** Reading the claims also has pods measured and walked at intervals, as reading the summary does. */
  #claims(): readonly ClaimFigures[] {
    const measured = this.#pods.within(MEASURED_FOR_CLAIMS_MS).then(() => this.#walkOn());
    this.#context.supervise(measured);
    const claims = new Map<string, ClaimFigures>();
    for (const { uid } of this.#refs) {
      for (const { claim, figures, isAbnormal } of this.#walks.walked.get(uid)?.disk.driverVolumes ?? []) {
        if (claim === undefined) continue;
        const { namespace, name } = claim;
        claims.set(`${namespace}/${name}`, {
          namespace,
          name,
          figures,
          ...(isAbnormal === undefined ? {} : { isAbnormal }),
        });
      }
    }
    return [...claims.values()];
  }

  #withDisk(stats: PodStats, node: NodeStats): PodStats {
    return withDisk(stats, this.#walks.walked.get(stats.podRef.uid)?.disk, node.fs);
  }

  #measuring(): NodeMeasuring {
    const { host, cri, node, configured = {} } = this.#deps;
    return { host, cri, node, configured, rates: this.#rates, now: this.#context.clock.now() };
  }

  async #measurePods(): Promise<readonly MeasuredPod[] | undefined> {
    const measured = await measurePods(this.#measuring(), this.#figuresFrom);
    if (measured === undefined) {
      this.#measuresPods.failed('the container runtime reports no usage');
      return undefined;
    }
    this.#measuresPods.worked();
    const { pods, from } = measured;
    this.#figuresFrom = from;
    const keys = new Set(['node', 'kubelet', 'runtime', 'misc', 'pods']);
    for (const { stats, containers } of pods) {
      keys.add(`pod/${stats.podRef.uid}`);
      for (const { id } of containers) keys.add(id);
    }
    this.#rates.keepOnly(keys);
    const { rootDir, podLogsDir } = this.#deps.node;
    this.#refs = pods.map(({ stats: { podRef } }) => podRef);
    this.#folders = pods.map(({ stats: { podRef } }) => ({
      uid: podRef.uid,
      podDir: podDir(rootDir, podRef.uid),
      logDir: `${podLogsDir}/${podLogDirectory(podRef).name}`,
    }));
    return pods;
  }

  /** Starts walks of the pods that are due. No caller waits for these. */
  #walkOn(): void {
    if (this.#deps.walkEveryMs <= 0) return;
    const { next, walk } = nextWalk(this.#walks, this.#folders, this.#context.clock.monotonic());
    this.#walks = next;
    if (walk.length === 0) return;
    const { self } = this.#context;
    const done = this.#deps.walk(walk).then((walked = []) => self.tell({ type: 'folders-walked', walked }));
    this.#context.supervise(done);
  }

  /** Resolves when these pods were walked within this time. Also resolves when the walk takes too long or is lost. */
  #walked(uids: readonly string[], withinMs: number): Promise<void> {
    const { clock } = this.#context;
    if (this.#deps.walkEveryMs <= 0) return Promise.resolve();
    this.#walks = want(this.#walks, uids, later(clock.monotonic(), -withinMs));
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (!uids.some((uid) => this.#walks.wanted.has(uid))) resolve();
    };
    this.#waiting.add(look);
    const cancel = clock.after(WALKED_WITHIN_MS, resolve);
    this.#walkOn();
    look();
    return promise.finally(() => {
      this.#waiting.delete(look);
      cancel();
    });
  }

  async #devices(): Promise<DiskDevices> {
    const { host, cri, node } = this.#deps;
    const outcome = await cri.call('ImageFsInfo', {}, { timeoutMs: FIGURE_WITHIN_MS });
    const images = outcome.ok ? outcome.value.imageFilesystems[0]?.fsId?.mountpoint : undefined;
    const containers = outcome.ok ? outcome.value.containerFilesystems[0]?.fsId?.mountpoint : undefined;
    const device = (path: string | undefined): number | undefined => (path === undefined ? path : host.device(path));
    return { root: host.device(node.rootDir), images: device(images), containers: device(containers ?? images) };
  }
}
