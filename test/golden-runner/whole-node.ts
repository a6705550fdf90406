import { partOfTree } from '../simulation/node/part-of-tree.ts';
import { defaultLaneLimits } from '../../actors/cri-gateway/call-schedule.ts';
import { treeOf } from '../../actors/tree.ts';
import type { Profile } from '../../src/agent/settings.ts';
import type { Tree } from '../../src/agent/tree.ts';
import { describeError } from '../../src/actor/fault.ts';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { nodesPath } from '../../src/api/api-path.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { RuntimeSettings } from '../../src/embedded/runtime/runtime-core.ts';
import type { TokenIssuer } from '../../src/embedded/apiserver/subresources/token-issuer.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import { MemoryCgroups } from '../support/memory-cgroups.ts';
import { ManifestDisk, MANIFEST_FOLDER } from '../simulation/node/manifest-disk.ts';
import { MemoryFiles } from '../simulation/node/memory-files.ts';
import { SimulatedAgent } from '../simulation/node/simulated-agent.ts';
import { SimulatedApi } from '../simulation/node/simulated-api.ts';
import { type NodeSettings, simulatedKinds } from '../simulation/node/simulated-kinds.ts';
import type { SimulatedFigures } from '../simulation/node/simulated-figures.ts';
import { type CallWatcher, SimulatedRuntime, type TwistOutcome } from '../simulation/node/simulated-runtime.ts';
import { runUntil } from '../simulation/simulate.ts';
import { switches } from '../simulation/node/switches.ts';
import { Trace } from '../simulation/node/trace.ts';
import { Traps } from '../simulation/node/traps.ts';
import { newOwner, type Owner, VirtualTime } from '../simulation/node/virtual-time.ts';

export interface WholeNodeOptions {
  readonly node: NodeSettings;
  /** The node's object in the API server. */
  readonly nodeObject: object;
  readonly runtime: RuntimeSettings;
  readonly watcher: CallWatcher;
  /** In memory by default. */
  readonly files?: MemoryFiles;
  readonly carryOut?: (orders: readonly VolumeOrder[]) => Promise<readonly VolumeOutcome[]>;
  readonly tokens?: TokenIssuer;
  /** The thread profile of the agent; `standard` by default. */
  readonly profile?: Profile | undefined;
  /** The number of latest trace entries that are kept. */
  readonly keepTrace?: number;
  /** Returns the node's figures of memory and disk; by default the node has plenty of both. */
  readonly figures?: (clock: () => number, runtime: SimulatedRuntime) => SimulatedFigures;
  /** Replaces answers of the runtime. */
  readonly twist?: TwistOutcome;
  /** The places where actors fail on purpose. */
  readonly traps?: Traps;
  /** Decides on the fault of each message between actors, also after a restart of the agent. */
  readonly messages?: FaultSeam | undefined;
}

/** The interval of checks of a condition when nothing was reported. */
const LOOK_EVERY_MS = 50;
const SEED = 17;
/** Only the first few problems are kept: the others follow from them. */
const MOST_PROBLEMS = 3;

/** A whole node in virtual time: the agent's own actors, the embedded runtime and the embedded API server. */
export class WholeNode {
  readonly trace: Trace;
  readonly runtime: SimulatedRuntime;
  readonly api: ApiTransport;
  readonly files: MemoryFiles;
  readonly #options: WholeNodeOptions;
  readonly #time: VirtualTime;
  readonly #world: Owner = newOwner('world');
  readonly #waiters = new Set<{ readonly holds: () => boolean; readonly resolve: () => void; readonly what: string }>();
  readonly #manifests = new ManifestDisk();
  readonly #cgroups = new MemoryCgroups();
  readonly #api: SimulatedApi;
  readonly #tree: Tree;
  readonly #problems: string[] = [];
  #agent: SimulatedAgent | undefined;

  constructor(options: WholeNodeOptions) {
    this.#options = options;
    this.#tree = partOfTree(treeOf(options.profile ?? 'standard', { api: 'api', serves: true }), played);
    this.trace = new Trace(options.keepTrace ?? 0);
    this.#time = new VirtualTime(seededRandom(SEED), this.trace);
    this.files = options.files ?? new MemoryFiles();
    this.#api = new SimulatedApi(this.#time, SEED, options.tokens);
    this.api = this.#api.transportOf(this.#world);
    this.runtime = new SimulatedRuntime(this.#time, {
      seed: SEED,
      files: this.files,
      settings: options.runtime,
      random: seededRandom(SEED + 1),
      watcher: options.watcher,
      twist: options.twist ?? ((_, outcome) => outcome),
    });
  }

  /** Virtual milliseconds since the beginning. */
  get now(): number {
    return this.#time.now;
  }

  /** Crashes, and the reasons why a case could not be played. */
  get problems(): readonly string[] {
    return this.#problems.slice(0, MOST_PROBLEMS);
  }

  /** Checks all awaited conditions again: something has changed. */
  look(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.holds()) continue;
      this.#waiters.delete(waiter);
      this.#time.in(0, this.#world, { label: 'goes on', run: waiter.resolve });
    }
  }

  /** Resolves once the condition holds. The condition is checked after each change, and at intervals. */
  until(holds: () => boolean, what: string): Promise<void> {
    this.trace.add(this.now, 'world', `waits for ${what}`);
    return new Promise((resolve) => {
      this.#waiters.add({ holds, resolve, what });
      this.look();
    });
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#time.in(ms, this.#world, { label: 'slept', run: resolve }));
  }

  writeStatic(file: string, text: string | undefined): void {
    const path = `${MANIFEST_FOLDER}/${file}`;
    if (text === undefined) this.#manifests.remove(path);
    else this.#manifests.write(path, text);
  }

  killAgent(): void {
    this.#agent?.kill();
    this.#manifests.forgetWatchers();
  }

  /** Ends a thread as if its code had called exit. */
  endThread(name: string): void {
    this.#agent?.endThread(name, 'made to exit');
  }

  startAgent(): void {
    const { node, carryOut, messages, traps = new Traps() } = this.#options;
    const figures = this.#options.figures?.(() => this.now, this.runtime);
    this.#agent = new SimulatedAgent(this.#time, {
      tree: this.#tree,
      channels: { weather: { typicalMs: 0.05 }, leaves() {} },
      linkCredits: 1_000,
      random: seededRandom(SEED + 2),
      ...(messages !== undefined && { messages }),
      kinds: (life) =>
        simulatedKinds(
          {
            time: this.#time,
            tree: this.#tree,
            runtime: this.runtime,
            api: this.#api,
            files: this.files,
            cgroups: this.#cgroups,
            manifests: this.#manifests,
            limits: defaultLaneLimits,
            node,
            ...(carryOut !== undefined && { carryOut }),
            traps,
            ...(figures !== undefined && { figures }),
            switches: switches(undefined),
            born() {},
            asked() {},
            answered() {},
            told() {},
          },
          life,
        ),
      report: ({ child, verdict, reason }) => {
        if (reason.includes('made to')) return;
        if (verdict === 'restart' || verdict === 'escalate')
          this.#problems.push(`${child} crashed: ${reason.split('\n', 3).join(' ')}`);
      },
      failed: (reason) => this.#problems.push(`the agent failed: ${reason}`),
    });
    this.#agent.start();
  }

  /** Plays a script together with the node, up to a time limit. Failures are in {@link problems}. */
  async play(act: () => Promise<void>, longestMs: number): Promise<void> {
    const lookOften = (): void => {
      this.look();
      this.#time.in(LOOK_EVERY_MS, this.#world, { label: 'looks', run: lookOften });
    };
    lookOften();
    let over = false;
    let failure: unknown;
    const played = async (): Promise<void> => {
      await this.api.call(
        { verb: 'create', path: nodesPath, body: this.#options.nodeObject, priority: 'object' },
        API_CALL_MS,
      );
      await act();
    };
    played()
      .catch((error: unknown) => (failure = error))
      .finally(() => (over = true));
    await runUntil(this.#time, longestMs, () => over);
    if (failure !== undefined) this.#problems.push(describeError(failure));
    else if (!over) {
      const awaited = [...this.#waiters].map(({ what }) => what).join(', ');
      this.#problems.push(`still waiting after ${longestMs / 1_000} s${awaited === '' ? '' : `, for ${awaited}`}`);
    }
  }
}

const API_CALL_MS = 10_000;

/** The actors that take part in a pod's life: all except the node's object, lease, certificate and server. */
const played: ReadonlySet<string> = new Set([
  'job-pool',
  'cri-gateway',
  'pleg',
  'probe-manager',
  'eviction-manager',
  'volume-manager',
  'csi-manager',
  'image-manager',
  'api-gateway',
  'event-recorder',
  'node-status',
  'status-manager',
  'pod-manager',
  'container-manager',
  'mirror-pods',
  'pod-source-file',
  'pod-source-api',
  'object-cache',
]);
