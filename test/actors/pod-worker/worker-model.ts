import type { Effect, NodeSettings, PodWorkerState } from '../../../actors/pod-worker/worker-state.ts';
import type { ProbedPod } from '../../../actors/probe-manager/protocol.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { containerId, podUid, sandboxId } from '../../../src/kube/ids.ts';
import type { Container, Pod, PodStatus } from '../../../src/kube/pod.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import { containerHash } from '../../../src/pod/values/container-hash.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../../src/pod/values/runtime-pod-status.ts';
import { runtimePodStatus } from '../../../src/pod/status/runtime-status-from-cri.ts';
import type { ActResult, PodWorkerProtocol, PodWorkerInit } from '../../../actors/pod-worker/protocol.ts';
import { decide, initialState } from '../../../actors/pod-worker/state.ts';
import { NOW, record, sandbox } from '../../pod/pods.ts';

export const settings: NodeSettings = { syncFrequencyMs: 60_000, crashLoopMaxMs: 300_000 };

export const init: PodWorkerInit = {
  podUid: podUid('uid-1'),
  runtimeName: 'containerd',
  networkNotReady: '',
  history: 'fresh',
};

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/**
 * A pod worker's decisions on top of a simulated runtime. Nothing happens by itself: effects wait until the test completes
 * them, one by one or all with `settle`.
 */
export class WorkerModel {
  state: PodWorkerState;
  now = NOW;
  /** The offset by which the machine's clock was set. */
  clockStep = 0;
  chance = 0;
  sandboxes: RuntimeSandbox[] = [];
  containers: RuntimeContainer[] = [];
  readonly published: PodStatus[] = [];
  /** Every effect so far, by type. */
  readonly did: Effect['type'][] = [];
  readonly probed: ProbedPod[] = [];
  readonly events: string[] = [];
  readonly started: string[] = [];
  readonly stops: number[] = [];
  waiting: Effect[] = [];
  syncAt: number | undefined;
  reported: ('ended' | 'removed')[] = [];
  /** The status manager's last status. */
  remembered: PodStatus | undefined;
  #revision = 0;

  constructor(parts: Partial<PodWorkerInit> = {}) {
    this.state = { ...initialState({ ...init, ...parts }, this.#moment, false), hostIps: ['192.0.2.1'] };
    this.#boot();
  }

  /** Another incarnation takes over; the runtime keeps running. */
  restart(parts: Partial<PodWorkerInit> = {}): void {
    this.now += 1;
    this.remembered = this.published.at(-1) ?? this.remembered;
    this.waiting = [];
    this.syncAt = undefined;
    this.state = { ...initialState({ ...init, ...parts }, this.#moment, true), hostIps: ['192.0.2.1'] };
    this.#boot();
  }

  send(command: PodWorkerProtocol['command']): void {
    const { next, effects } = decide(this.state, command, { ...this.#moment, ...settings });
    this.state = next;
    for (const effect of effects) this.#take(effect);
  }

  /** Advances the clock, and fires the timers that are due. */
  advance(ms: number): void {
    this.now += ms;
    if (this.syncAt === undefined || this.syncAt > this.now) return;
    this.syncAt = undefined;
    this.send({ type: 'sync-due' });
  }

  // ---- results of effects --------------------------------------------------------------------------------------------

  takeWaiting<Type extends Effect['type']>(type: Type): EffectOf<Type> | undefined {
    const index = this.waiting.findIndex((effect) => effect.type === type);
    if (index < 0) return undefined;
    const [effect] = this.waiting.splice(index, 1);
    // Found by its type.
    return effect as EffectOf<Type>;
  }

  isWaiting(type: Effect['type']): boolean {
    return this.waiting.some((effect) => effect.type === type);
  }

  requestStatus(): void {
    const effect = this.takeWaiting('observe');
    if (effect === undefined) return;
    if (effect.afterMs !== undefined) this.now += effect.afterMs;
    this.now += 1;
    this.send({ type: 'observed', outcome: { ok: true, value: this.seen() } });
  }

  finishActing(result: Partial<ActResult> = {}): void {
    const effect = this.takeWaiting('act');
    if (effect === undefined) return;
    const failed = result.failures ?? new Map<string, unknown>();
    const nothing = result.inDoubt === true || result.podFailure !== undefined;
    const { touched, tried } = nothing
      ? { touched: { sandboxes: [], containers: [] }, tried: new Set<string>() }
      : this.#apply(effect.pod, effect.actions, failed);
    this.now += 1;
    this.send({
      type: 'attempt-ended',
      result: {
        touched,
        tried,
        failures: new Map(),
        failedPulls: new Map(),
        podFailure: undefined,
        inDoubt: false,
        ...result,
      },
    });
  }

  finishStopping(failed?: string): void {
    if (this.takeWaiting('stop-pod') === undefined) return;
    if (failed === undefined) this.#stopAll();
    this.now += 1;
    this.send({ type: 'stopped', touched: { sandboxes: [], containers: [] }, failed });
  }

  finishRemoving(failed?: string): void {
    const pod = this.takeWaiting('remove-pod');
    const volumes = pod === undefined ? this.takeWaiting('remove-volumes') : undefined;
    const dead = pod === undefined && volumes === undefined ? this.takeWaiting('remove-dead') : undefined;
    if (pod === undefined && volumes === undefined && dead === undefined) return;
    if (failed === undefined && pod !== undefined) [this.sandboxes, this.containers] = [[], []];
    if (failed === undefined && dead !== undefined) {
      this.containers = this.containers.filter(({ id }) => !dead.containers.includes(id));
      this.sandboxes = this.sandboxes.filter(({ id }) => !dead.sandboxes.includes(id));
    }
    this.send({
      type: 'removed',
      what: pod !== undefined ? 'pod' : volumes !== undefined ? 'volumes' : 'dead',
      failed,
    });
  }

  readPreviousStatus(): void {
    if (this.takeWaiting('read-previous-status') === undefined) return;
    this.send({ type: 'previous-status-read', status: this.remembered });
  }

  /** Completes every pending effect successfully, and all effects that follow. */
  settle(): void {
    for (let turn = 0; this.waiting.length > 0; turn += 1) {
      if (turn > 100) throw new Error(`the worker does not settle: ${this.did.slice(-12).join(', ')}`);
      this.readPreviousStatus();
      this.finishActing();
      this.finishStopping();
      this.finishRemoving();
      this.requestStatus();
    }
  }

  // ---- events of the runtime ----------------------------------------------------------------------------------------

  exit(name: string, exitCode: number): void {
    this.containers = this.containers.map((container) =>
      container.name === name && container.state === 'running'
        ? {
            ...container,
            state: 'exited',
            exitCode,
            finishedAt: this.wall,
            reason: exitCode === 0 ? 'Completed' : 'Error',
          }
        : container,
    );
  }

  /** PLEG reports a change without a question. */
  notice(): void {
    this.now += 1;
    this.send({ type: 'pod-status-observed', ...this.seen() });
  }

  seen() {
    this.#revision += 1;
    const status = runtimePodStatus({
      uid: init.podUid,
      name: 'web',
      namespace: 'shop',
      sandboxes: this.sandboxes,
      containers: this.containers,
    });
    return { status, observedAt: this.now, revision: this.#revision };
  }

  get phase(): PodStatus['phase'] {
    return this.published.at(-1)?.phase;
  }

  waitingReason(name = 'main'): string | undefined {
    const status = this.published.at(-1);
    const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    return all.find((each) => each.name === name)?.state?.waiting?.reason;
  }

  get running(): readonly string[] {
    return this.containers.filter(({ state }) => state === 'running').map(({ id }) => id);
  }

  /** The pod's status in the runtime, with a new revision. */
  get wall(): number {
    return this.now + this.clockStep;
  }

  // ---- inside --------------------------------------------------------------------------------------------------------

  get #moment() {
    return { now: this.wall, monotonic: this.now, chance: this.chance };
  }

  #boot(): void {
    if (!this.state.statusKnown) this.#take({ type: 'read-previous-status' });
  }

  #take(effect: Effect): void {
    this.did.push(effect.type);
    switch (effect.type) {
      case 'publish':
        this.published.push(effect.status);
        return;
      case 'sync-at':
        this.syncAt = effect.at;
        return;
      case 'tell-event':
        this.events.push(`${effect.event.reason}: ${effect.event.message}`);
        return;
      case 'report-terminated':
        this.reported.push(effect.removed ? 'removed' : 'ended');
        return;
      case 'stop-pod':
        this.stops.push(effect.target.graceSeconds);
        this.waiting.push(effect);
        return;
      case 'probe':
        this.probed.push(effect.pod);
        return;
      case 'cancel-acting':
      case 'want-volumes':
      case 'unmount-volumes':
      case 'forget-probes':
        return;
      case 'act':
      case 'observe':
      case 'read-previous-status':
      case 'remove-pod':
      case 'remove-volumes':
      case 'remove-dead':
        this.waiting.push(effect);
        return;
      default:
        assertNever(effect, 'effect');
    }
  }

  #apply(pod: Pod, actions: PodActions, failed: ReadonlyMap<string, unknown>) {
    if (actions.killPod) this.#stopAll();
    const toKill = new Set<string>(actions.containersToKill.map(({ id }) => id));
    this.containers = this.containers.map((each) =>
      toKill.has(each.id) ? { ...each, state: 'exited', exitCode: 137, finishedAt: this.wall } : each,
    );
    if (actions.createSandbox) {
      const { attempt } = actions;
      this.sandboxes.push(sandbox({ id: sandboxId(`sandbox-${attempt}`), attempt, createdAt: this.wall }));
    }
    const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
    const wanted = [
      ...actions.ephemeralContainersToStart.map((index) => ephemeralContainers[index]),
      ...actions.initContainersToStart.map((index) => initContainers[index]),
      ...actions.containersToStart.map((index) => containers[index]),
    ].filter((each) => each !== undefined);
    const toStart = wanted.filter(({ name }) => !failed.has(name));
    const made = toStart.map((each) => this.#start(each));
    const touched = {
      sandboxes: this.sandboxes.map(({ id }) => id),
      containers: made.map(({ id, sandboxId: place }) => [id, place] as const),
    };
    return { touched, tried: new Set(wanted.map(({ name }) => name)) };
  }

  #start(container: Container): RuntimeContainer {
    const earlier = this.containers.filter(({ name }) => name === container.name);
    const attempt = earlier.length === 0 ? 0 : Math.max(...earlier.map(({ restartCount }) => restartCount)) + 1;
    const started = record(container.name, 'running', {
      id: containerId(`${container.name}-${attempt}`),
      attempt,
      restartCount: attempt,
      hash: containerHash(container),
      sandboxId: this.sandboxes.at(-1)?.id,
      createdAt: this.wall,
      startedAt: this.wall,
    });
    this.containers.push(started);
    this.started.push(started.id);
    return started;
  }

  #stopAll(): void {
    this.sandboxes = this.sandboxes.map((each) => ({ ...each, state: 'not-ready' }));
    this.containers = this.containers.map((each) =>
      each.state === 'running' || each.state === 'unknown'
        ? { ...each, state: 'exited', exitCode: 137, reason: 'Error', finishedAt: this.wall }
        : each,
    );
  }
}
