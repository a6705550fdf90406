import { isDeepStrictEqual } from 'node:util';
import type { LaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import type { StatusManagerProtocol } from '../../../actors/status-manager/protocol.ts';
import type { Profile } from '../../../src/agent/settings.ts';
import type { Tree } from '../../../src/agent/tree.ts';
import { treeOf } from '../../../actors/tree.ts';
import { isSupervisor, type SupervisorReport, type TreeSpec } from '../../../src/actor/supervision/child.ts';
import { seededRandom, type Random } from '../../../src/actor/random.ts';
import type { RestartRule } from '../../../src/actor/supervision/restart-budget.ts';
import { parseManifestFrom } from '../../../src/jobs/parse-manifest.ts';
import type { FaultPlan } from '../../../src/faults/fault-plan.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { CallChecker, creditChecker, RestartChecker, StatusChecker, type Complain } from '../checks/checkers.ts';
import { MANIFEST_FOLDER, ManifestDisk } from './manifest-disk.ts';
import { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { MemoryFiles } from './memory-files.ts';
import { manifestOf, NODE_NAME, podName, podShapes, scriptOf, type PodShape } from './pod-shapes.ts';
import { MessageWeather } from './message-weather.ts';
import { RuntimeChecker } from '../checks/runtime-checker.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { plenty, type SimulatedFigures } from './simulated-figures.ts';
import { simulatedKinds, type KindsOptions } from './simulated-kinds.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import type { Switches } from './switches.ts';
import { Traps } from './traps.ts';
import { newOwner, type Owner, type VirtualTime } from './virtual-time.ts';

/** Small enough to be reached, except for stops, which wait for containers and not for the runtime. */
const limits: LaneLimits = {
  stop: 128,
  start: 8,
  list: 2,
  status: 12,
  probe: 4,
  hook: 20,
  stats: 2,
  pull: 4,
  remove: 3,
  background: 1,
};

/** So few credits that links run out of them whenever many pods report at once. */
const LINK_CREDITS = 12;

/** The pod that a file holds now. */
export interface Slot {
  readonly slot: number;
  readonly shape: PodShape;
  readonly revision: number;
  readonly uid: string;
  readonly since: number;
  /** `true` while the file holds no valid pod. */
  broken: boolean;
}

/** A pod that is no longer wanted. `patienceMs`: its undisturbed time so far. */
interface Leaving {
  readonly uid: string;
  readonly name: string;
  readonly graceMs: number;
  patienceMs: number;
}

/** The time with faults before all must settle. */
const CHAOS_AT_MOST_MS = 480_000;
/** The time beyond its grace period in which a pod must be removed. */
const LEAVES_WITHIN_MS = 15_000;
const WATCH_EVERY_MS = 1_000;

/** A whole node: agent, runtime, disk and manifests on one virtual clock, with all checkers. */
export class SimulatedNode {
  readonly time: VirtualTime;
  readonly world: Owner = newOwner('world');
  readonly runtime: SimulatedRuntime;
  readonly runtimeChecker: RuntimeChecker;
  readonly calls: CallChecker;
  readonly statuses: StatusChecker;
  readonly traps = new Traps();
  readonly links = { typicalMs: 0.05 };
  readonly messages: MessageWeather;
  readonly manifests = new ManifestDisk();
  readonly files = new MemoryFiles();
  /** The kernel does not remove a cgroup in which a process runs. */
  readonly cgroups = new MemoryCgroups((path) => this.#runsIn(path));
  readonly figures: SimulatedFigures;
  readonly slots = new Map<number, Slot>();
  agent: SimulatedAgent | undefined;
  /**
   * Pods without containers in the runtime when their agent died. Once they are no longer wanted, the next agent does not
   * know them, so their directories stay until the next garbage collection.
   */
  readonly unfindable = new Set<string>();
  /** Statuses that must not change for now, by pod UID. */
  frozen: ReadonlyMap<string, PodStatus> | undefined;
  /** By pod, the number of calls that had changed the pod before a crash in a quiet time. */
  changesBefore: ReadonlyMap<string, number> = new Map();
  readonly #restarts: RestartChecker;
  readonly #tree: Tree;
  readonly #switches: Switches;
  readonly #random: Random;
  readonly #complain: Complain;
  readonly #leaving = new Map<string, Leaving>();
  /** The texts of faults that the plan caused. */
  readonly #onPurpose = new Set<string>();
  /** By agent and plan. */
  readonly #acts = new Map<string, number>();
  #disturbedUntil = 0;
  #agentLife = 0;

  constructor(
    time: VirtualTime,
    options: {
      readonly seed: number;
      readonly profile?: Profile | undefined;
      readonly switches: Switches;
      readonly complain: Complain;
    },
  ) {
    const { seed, profile = 'standard', complain } = options;
    this.time = time;
    this.#complain = complain;
    this.#switches = options.switches;
    this.#tree = treeOf(profile, { api: 'standalone', serves: false });
    this.#random = seededRandom(seed ^ 0x5eed);
    this.messages = new MessageWeather(seededRandom(seed ^ 0x1e77e5), ({ from, to, message }, how) =>
      time.trace.add(time.now, to, `${how} of ${message.type} from ${from}`),
    );
    this.calls = new CallChecker(complain, limits, () => time.now);
    this.statuses = new StatusChecker(complain, this.calls.refused);
    this.#restarts = new RestartChecker(complain, {
      ruleOf: (child) => ruleOf(this.#tree, child),
      restartedWith: (child) => restartedWith(this.#tree, child),
    });
    this.runtime = new SimulatedRuntime(time, {
      seed,
      files: this.files,
      settings: { latencies: { sandboxMs: 40, createMs: 15, startMs: 20, stopMs: 100, pullMs: 300 } },
      random: seededRandom(seed ^ 0xbad),
      watcher: this.calls,
      twist: this.#switches.outcome,
    });
    this.runtimeChecker = new RuntimeChecker(this.runtime.core, complain);
    this.figures = plenty(() => time.now);
    this.#watchLeaving();
  }

  // ---- the agent -----------------------------------------------------------------------------------------------------

  startAgent(): void {
    const { time } = this;
    const life = ++this.#agentLife;
    const options: KindsOptions = {
      time,
      tree: this.#tree,
      runtime: this.runtime,
      files: this.files,
      cgroups: this.cgroups,
      manifests: this.manifests,
      figures: this.figures,
      limits,
      traps: this.traps,
      switches: this.#switches,
      born: ({ address }) => this.#restarts.born(address, this.time.now),
      asked: (call) => {
        time.trace.add(time.now, call.podUid?.slice(0, 8) ?? '', `asks for ${call.method}`);
        this.calls.asked(call);
      },
      answered: (podUid, outcome) => this.calls.answered(podUid, outcome),
      told: (command) => {
        if (command.type === 'pod-status-changed') this.#mustBeFrozen(command.podUid, command.status);
        const who = 'podUid' in command ? command.podUid.slice(0, 8) : '';
        time.trace.add(time.now, who, describeStatus(command));
        this.statuses.told(command);
      },
    };
    this.agent = new SimulatedAgent(this.time, {
      tree: this.#switches.tree(this.#tree),
      messages: this.messages.seam,
      channels: { weather: this.links, leaves: creditChecker(this.#complain, LINK_CREDITS) },
      linkCredits: this.#switches.linkCredits(LINK_CREDITS),
      random: this.#random,
      kinds: (thread) => simulatedKinds(options, thread),
      report: (report) => this.#reported(report),
      pods: () => [...this.slots.values()].map(namedPod),
      failed: (reason) => {
        if (life === this.#agentLife) this.#agentOver(300 + this.time.random() * 700, reason);
      },
    });
    this.agent.start();
  }

  /** Kills the agent as by SIGKILL. Its launcher starts another after a while. */
  killAgent(downMs: number): void {
    if (this.agent === undefined) return;
    this.agent.kill();
    this.#agentOver(downMs, 'killed');
  }

  #agentOver(downMs: number, reason: string): void {
    this.agent = undefined;
    this.manifests.forgetWatchers();
    this.#restarts.forget(() => true);
    for (const uid of this.#knownUids()) if (!this.runtimeChecker.podUids.has(uid)) this.unfindable.add(uid);
    this.statuses.agentEnded((uid, container) =>
      [...this.runtimeChecker.of(uid)].some(({ name }) => name === container),
    );
    this.disturb(downMs + 15_000);
    this.time.trace.add(this.time.now, 'agent', reason.split('\n', 1)[0] ?? '');
    this.time.in(downMs, this.world, { label: 'start agent', run: () => this.startAgent() });
  }

  /** Applies a fault plan, which ends with the agent. The plan's objects may block all other work until then. */
  applyFaults(plan: FaultPlan): void {
    this.disturb(Math.min(plan.blastRadius.maxMinutes * 60_000, CHAOS_AT_MOST_MS) + 90_000);
    for (const { action } of plan.rules) {
      const words = action.type === 'crash' ? action.reason : action.type === 'error' ? action.text : undefined;
      if (words !== undefined) this.#onPurpose.add(words);
    }
    void this.#apply(JSON.stringify(plan));
  }

  async #apply(text: string): Promise<void> {
    const applied = await this.agent?.faults.apply(text);
    if (applied?.ok === false) this.#complain('plans-are-valid', JSON.stringify(applied.problems));
  }

  clearFaults(): void {
    this.#countActs();
    void this.agent?.faults.clear();
  }

  /** Counts the actions of fault plan rules. */
  get acts(): number {
    return [...this.#acts.values()].reduce((sum, acts) => sum + acts, 0);
  }

  #countActs(): void {
    for (const { id, rules } of this.agent?.faults.list() ?? [])
      this.#acts.set(
        `${this.#agentLife}/${id}`,
        rules.reduce((sum, { acted }) => sum + acted, 0),
      );
  }

  #isOnPurpose(reason: string): boolean {
    return reason.includes('made to') || [...this.#onPurpose].some((words) => reason.includes(words));
  }

  #reported(report: SupervisorReport): void {
    const { child, verdict, reason } = report;
    // The lines below the first are a stack, with paths that differ from checkout to checkout.
    this.time.trace.add(this.time.now, child, `${verdict}: ${reason.split('\n', 1)[0] ?? ''}`);
    if (verdict !== 'restart' && verdict !== 'escalate') {
      this.#restarts.forget((each) => each === child);
      // The status manager may crash on this message.
      if (verdict === 'finished') this.statuses.forget(child.slice('pod-worker/'.length));
      return;
    }
    if (!this.#isOnPurpose(reason) && !child.startsWith('thread/')) this.#complain('no-defects', `${child}: ${reason}`);
    this.#restarts.reported(report, this.time.now);
    if (child.startsWith('thread/')) {
      // Every supervisor on the thread ended with the thread.
      const thread = this.#tree.threads.find(({ name }) => `thread/${name}` === child);
      const names = new Set(thread?.children.flatMap(allIn).map(nameOf));
      this.#restarts.forget((each) => each.startsWith('pod-worker/') || names.has(each));
    }
    this.disturb(child.startsWith('pod-worker/') ? 65_000 : 15_000);
  }

  // ---- the manifests -------------------------------------------------------------------------------------------------

  shapeOf(name: string): PodShape {
    const shape = podShapes.find((each) => each.name === name);
    if (shape === undefined) throw new Error(`no such shape of a pod: ${name}`);
    return shape;
  }

  async write(slot: number, shape: PodShape, revision: number): Promise<void> {
    const path = pathOf(slot);
    const text = manifestOf(slot, shape, revision);
    this.runtime.core.addScript(scriptOf(slot, shape));
    this.manifests.write(path, text);
    const parsed = await parseManifestFrom(this.manifests, { path, nodeName: NODE_NAME });
    if (!parsed.ok) throw new Error(`a manifest of the simulation is not valid: ${parsed.problem}`);
    const { uid } = parsed.pod.metadata;
    const before = this.slots.get(slot);
    if (before !== undefined && before.uid !== uid) this.#leaves(before);
    this.#leaving.delete(uid);
    this.slots.set(slot, { slot, shape, revision, uid, since: this.time.now, broken: false });
  }

  break(slot: number): void {
    const held = this.slots.get(slot);
    if (held === undefined) return;
    held.broken = true;
    this.manifests.write(pathOf(slot), '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ');
  }

  async mend(): Promise<void> {
    for (const { slot, shape, revision, broken } of this.slots.values()) {
      if (broken) await this.write(slot, shape, revision);
    }
  }

  removeManifest(slot: number): void {
    const held = this.slots.get(slot);
    if (held === undefined) return;
    this.manifests.remove(pathOf(slot));
    this.slots.delete(slot);
    this.#leaves(held);
  }

  #runsIn(cgroup: string): boolean {
    const uid = /\/pod(?<uid>[^/]+)$/.exec(cgroup)?.groups?.['uid'];
    if (uid === undefined) return false;
    return this.runtimeChecker.running(uid).length + this.runtimeChecker.readySandboxes(uid).length > 0;
  }

  // ---- continuous checks ---------------------------------------------------------------------------------------------

  /** The agent may be unable to work for this time from now on. */
  disturb(forMs: number): void {
    this.#disturbedUntil = Math.max(this.#disturbedUntil, this.time.now + forMs);
  }

  get disturbed(): boolean {
    return this.agent?.ready !== true || this.runtime.weather.down || this.time.now < this.#disturbedUntil;
  }

  #knownUids(): readonly string[] {
    return [...[...this.slots.values()].map(({ uid }) => uid), ...this.#leaving.keys()];
  }

  #leaves({ slot, shape, uid }: Slot): void {
    const seconds = shape.spec['terminationGracePeriodSeconds'] ?? 30;
    this.#leaving.set(uid, { uid, name: podName(slot, shape), graceMs: Number(seconds) * 1_000, patienceMs: 0 });
  }

  #watchLeaving(): void {
    const run = (): void => {
      this.#countActs();
      for (const leaving of this.#leaving.values()) {
        if (!this.disturbed) leaving.patienceMs += WATCH_EVERY_MS;
        if (this.runtimeChecker.of(leaving.uid).size === 0 && leaving.patienceMs > 120_000) {
          this.#leaving.delete(leaving.uid);
        } else if (leaving.patienceMs > leaving.graceMs + LEAVES_WITHIN_MS) this.#mustNotRun(leaving);
      }
      this.time.in(WATCH_EVERY_MS, this.world, { label: 'watch', run });
    };
    this.time.in(WATCH_EVERY_MS, this.world, { label: 'watch', run });
  }

  #mustNotRun({ uid, name, graceMs }: Leaving): void {
    const [running] = this.runtimeChecker.running(uid);
    if (running === undefined) return;
    const seconds = (graceMs + LEAVES_WITHIN_MS) / 1_000;
    this.#complain(
      'leaves-in-time',
      `${running.name} of ${name} (${uid.slice(0, 8)}) runs ${seconds} s after its pod was removed`,
    );
  }

  #mustBeFrozen(uid: string, status: PodStatus): void {
    const before = this.frozen?.get(uid);
    if (before === undefined || isDeepStrictEqual(before, status)) return;
    this.#complain(
      'crash-changes-nothing',
      `the status of ${uid.slice(0, 8)} became ${JSON.stringify(status)} from ${JSON.stringify(before)}`,
    );
  }
}

function describeStatus(command: StatusManagerProtocol['command']): string {
  if (command.type === 'forget-others') return `all but ${command.kept.size} are forgotten`;
  if (command.type === 'forget-pod') return 'is forgotten';
  if (command.type !== 'pod-status-changed') return command.type;
  const { phase, initContainerStatuses = [], containerStatuses = [] } = command.status;
  const containers = [...initContainerStatuses, ...containerStatuses].map(({ name, restartCount, state = {} }) => {
    const { waiting, terminated } = state;
    return `${name}/${restartCount} ${waiting?.reason ?? terminated?.reason ?? 'runs'}`;
  });
  return `is ${phase}: ${containers.join(', ')}`;
}

export const pathOf = (slot: number): string => `${MANIFEST_FOLDER}/${String(slot).padStart(4, '0')}.yaml`;

function ruleOf(tree: Tree, child: string): RestartRule | undefined {
  if (child.startsWith('pod-worker/')) return tree.podWorker.restart;
  if (child.startsWith('thread/')) return tree.threads.find(({ name }) => `thread/${name}` === child)?.restart;
  const nodes = [...tree.main, ...tree.threads.flatMap(({ children }) => children)].flatMap(allIn);
  return nodes.find((each) => nameOf(each) === child)?.restart;
}

/** Everything under the same supervisor, however deep. */
const restartedWith = (tree: Tree, child: string): readonly string[] =>
  tree.threads
    .flatMap(({ children }) => children)
    .map((each) => allIn(each).map(nameOf))
    .find((names) => names.includes(child))
    ?.filter((name) => name !== child) ?? [];

const nameOf = (spec: TreeSpec): string => (isSupervisor(spec) ? spec.name : spec.address);
const allIn = (spec: TreeSpec): readonly TreeSpec[] =>
  isSupervisor(spec) ? [spec, ...spec.children.flatMap(allIn)] : [spec];

/** The members that name a pod. */
const namedPod = ({ slot, shape, uid }: Slot): Pod =>
  ({ metadata: { name: `${podName(slot, shape)}-${NODE_NAME}`, namespace: 'default', uid } }) as Pod;
