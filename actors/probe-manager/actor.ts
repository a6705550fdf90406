import { elapsedMs, type MonotonicMs } from '../../src/actor/clock.ts';
import { podWorker } from '../pod-worker/protocol.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { RecordEvent } from '../../src/kube/event.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { RunProbe } from '../../src/probing/run-probe.ts';
import type { ProbeMetrics } from './metrics.ts';
import type {
  ContainerVerdicts,
  PodProbeResults,
  ProbedContainer,
  ProbedPod,
  ProbeManagerCommand,
  ProbeManagerProtocol,
  ProbeManagerQuestion,
  ProbeResult,
  ProbeSpec,
} from './protocol.ts';
import { probeEvent } from './probe-event.ts';
import type { ResultsOnDisk } from './results-on-disk.ts';
import {
  afterRun,
  beginProbe,
  firstRunAt,
  hasStarted,
  initialVerdict,
  madeAt,
  mayRun,
  newVerdicts,
  nextRunAt,
  startInstant,
} from './state.ts';
import type { WatchedContainer, WatchedPod, WatchedProbe } from './watched-probe.ts';

export interface ProbeManagerDeps {
  readonly runProbe: RunProbe;
  readonly results: Pick<ResultsOnDisk, 'read' | 'write'>;
  readonly metrics: ProbeMetrics;
  readonly recordEvent: RecordEvent;
  /** Threads whose pod workers are asked to repeat their messages to an earlier incarnation. */
  readonly podThreads: readonly string[];
}

/** How often a probe that cannot be made is tried within one run. */
const ATTEMPTS = 3;

/** Probes running containers, each at its own times, and reports changed verdicts to the pods' workers. */
export class ProbeManager implements Actor<ProbeManagerProtocol> {
  readonly #context: ActorContext<ProbeManagerProtocol>;
  readonly #deps: ProbeManagerDeps;
  readonly #bornAt: MonotonicMs;
  readonly #pods = new Map<PodUid, WatchedPod>();

  constructor(context: ActorContext<ProbeManagerProtocol>, deps: ProbeManagerDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#bornAt = context.clock.monotonic();
  }

  start(): void {
    for (const thread of this.#deps.podThreads) {
      this.#context
        .ref(hostAddress(thread))
        .tell({ type: 'broadcast', kind: 'pod-worker', command: { type: 'report-probes' } });
    }
  }

  tell(command: ProbeManagerCommand): void {
    switch (command.type) {
      case 'probe-pod':
        return this.#watch(command);
      case 'forget-pod':
        return this.#forget(command.podUid);
      case 'forget-others':
        for (const uid of this.#pods.keys()) if (!command.kept.has(uid)) this.#forget(uid);
        return;
      default:
        assertNever(command, 'probe manager command');
    }
  }

  ask(question: ProbeManagerQuestion): PodProbeResults {
    const pod = this.#pods.get(question.podUid);
    return pod === undefined ? this.#deps.results.read(question.podUid) : resultsOf(pod);
  }

  #forget(podUid: PodUid): void {
    const pod = this.#pods.get(podUid);
    for (const container of pod?.containers.values() ?? []) end(container);
    this.#pods.delete(podUid);
  }

  #watch(told: ProbedPod): void {
    const { podUid, name, namespace } = told;
    const pod = this.#pods.get(podUid) ?? { name, namespace, containers: new Map<string, WatchedContainer>() };
    this.#pods.set(podUid, pod);
    const names = new Set(told.containers.map((container) => container.name));
    for (const [each, container] of pod.containers) {
      if (names.has(each)) continue;
      end(container);
      pod.containers.delete(each);
    }
    let onDisk: PodProbeResults | undefined;
    for (const container of told.containers) {
      const known = pod.containers.get(container.name);
      if (known?.told.id === container.id) this.#update(podUid, known, container);
      else {
        if (known !== undefined) end(known);
        if (startInstant(container.startedAt, this.#context.clock) < this.#bornAt)
          onDisk ??= this.#deps.results.read(podUid);
        this.#begin({
          podUid,
          pod,
          container,
          // Verdicts on disk were written before any worker received them.
          verdicts: { ...container.verdicts, ...onDisk?.get(container.id) },
        });
      }
    }
  }

  #begin({ podUid, pod, container, verdicts }: Beginning): void {
    const watched: WatchedContainer = {
      told: container,
      isStarted: hasStarted(container.probes, verdicts.startup),
      probes: new Map(),
    };
    pod.containers.set(container.name, watched);
    for (const spec of container.probes) this.#add({ podUid, pod, watched, spec, verdicts });
    this.#reportBack(podUid, watched, container.verdicts);
  }

  #add({ podUid, pod, watched, spec, verdicts }: Addition): void {
    const { kind } = spec;
    const { name, namespace } = pod;
    const probe: WatchedProbe = {
      spec,
      state: beginProbe(kind, verdicts[kind]),
      figures: this.#deps.metrics.of({ kind, container: watched.told.name, pod: name, namespace, podUid }),
      dueAt: 0,
      disarm: undefined,
      isRunning: false,
      isOver: false,
    };
    watched.probes.set(kind, probe);
    this.#armFirst({ podUid, pod, container: watched, probe }, 'by-itself');
  }

  /** Updates the same instance: the pod has another address, another definition, or fewer probes than before. */
  #update(podUid: PodUid, watched: WatchedContainer, container: ProbedContainer): void {
    const pod = this.#pods.get(podUid);
    if (pod === undefined) return;
    watched.told = container;
    for (const [kind, probe] of watched.probes) {
      const spec = container.probes.find((each) => each.kind === kind);
      if (spec !== undefined) probe.spec = spec;
      else {
        endProbe(probe);
        watched.probes.delete(kind);
      }
    }
    for (const spec of container.probes) {
      if (!watched.probes.has(spec.kind)) this.#add({ podUid, pod, watched, spec, verdicts: container.verdicts });
    }
    this.#reportBack(podUid, watched, container.verdicts);
  }

  #reportBack(podUid: PodUid, { told, probes }: WatchedContainer, verdicts: ContainerVerdicts): void {
    const known = [...probes.values()].map(({ spec, state }) => [spec.kind, state.verdict] as const);
    for (const [kind, verdict] of newVerdicts(known, verdicts)) {
      this.#worker(podUid).tell({ type: 'probe-result', containerId: told.id, kind, verdict });
    }
  }

  #armFirst(run: Run, why: 'by-itself' | 'after-startup'): void {
    const { container, probe } = run;
    if (probe.state.onHold || !mayRun(probe.spec.kind, container.isStarted)) return;
    const { clock, random } = this.#context;
    const dueAt = firstRunAt({
      startedAt: startInstant(container.told.startedAt, clock),
      spec: probe.spec,
      now: clock.monotonic(),
      bornAt: this.#bornAt,
      chance: random(),
      afterStartup: why === 'after-startup',
    });
    this.#arm(run, dueAt, dueAt);
  }

  #arm(run: Run, dueAt: MonotonicMs, at: MonotonicMs): void {
    const { clock } = this.#context;
    const { probe } = run;
    probe.dueAt = dueAt;
    probe.disarm = clock.after(Math.max(0, elapsedMs(clock.monotonic(), at)), () => {
      probe.disarm = undefined;
      probe.isRunning = true;
      this.#context.supervise(this.#run(run));
    });
  }

  async #run(run: Run): Promise<void> {
    const { podUid, container, probe } = run;
    const { clock } = this.#context;
    const { id } = container.told;
    const began = clock.monotonic();
    let outcome: ProbeOutcome | undefined;
    for (let attempt = 0; attempt < ATTEMPTS && (outcome === undefined || outcome.result === 'error'); attempt += 1) {
      const { target, timeoutSeconds } = probe.spec;
      outcome = await this.#deps.runProbe({ podUid, containerId: id, target, timeoutSeconds });
      if (probe.isOver || !this.#context.alive()) return;
    }
    probe.isRunning = false;
    if (outcome !== undefined) this.#ended(run, outcome, elapsedMs(began, clock.monotonic()) / 1_000);
  }

  #ended(run: Run, outcome: ProbeOutcome, seconds: number): void {
    const { podUid, pod, container, probe } = run;
    const { spec } = probe;
    probe.figures.count(outcome.result, seconds);
    const event = probeEvent({ podUid, pod, container: container.told, kind: spec.kind, outcome });
    if (event !== undefined) this.#deps.recordEvent(event);
    const before = probe.state.verdict;
    probe.state = afterRun(probe.state, outcome.result, spec);
    const { verdict, onHold } = probe.state;
    if (!onHold) {
      const dueAt = nextRunAt(probe.dueAt, spec.periodSeconds, this.#context.clock.monotonic());
      this.#arm(run, dueAt, madeAt(dueAt));
    }
    if (verdict === before || verdict === undefined) return;
    // On disk first: a restarted agent must know every verdict that a worker has acted upon.
    this.#deps.results.write(podUid, resultsOf(pod));
    const result: ProbeResult = { type: 'probe-result', containerId: container.told.id, kind: spec.kind, verdict };
    this.#worker(podUid).tell(result);
    if (spec.kind === 'startup' && verdict === 'success') this.#started(run);
  }

  /** Probes that waited for the container's start wait no longer. */
  #started({ podUid, pod, container }: Run): void {
    container.isStarted = true;
    for (const probe of container.probes.values()) {
      if (probe.disarm === undefined && !probe.isRunning) {
        this.#armFirst({ podUid, pod, container, probe }, 'after-startup');
      }
    }
  }

  #worker(podUid: PodUid) {
    return this.#context.ref(podWorker(podUid));
  }
}

interface Run {
  readonly podUid: PodUid;
  readonly pod: WatchedPod;
  readonly container: WatchedContainer;
  readonly probe: WatchedProbe;
}

interface Beginning {
  readonly podUid: PodUid;
  readonly pod: WatchedPod;
  readonly container: ProbedContainer;
  readonly verdicts: ContainerVerdicts;
}

interface Addition extends Omit<Beginning, 'container'> {
  readonly watched: WatchedContainer;
  readonly spec: ProbeSpec;
}

function end({ probes }: WatchedContainer): void {
  for (const probe of probes.values()) endProbe(probe);
}

function endProbe(probe: WatchedProbe): void {
  probe.isOver = true;
  probe.disarm?.();
  probe.figures.forget();
}

/** Returns the verdicts on the pod's containers. A verdict without trouble is left out, since it is assumed anyway. */
function resultsOf({ containers }: WatchedPod): PodProbeResults {
  const results = new Map<ProbedContainer['id'], ContainerVerdicts>();
  for (const { told, probes } of containers.values()) {
    const known = [...probes.values()].filter(
      ({ spec, state }) =>
        state.verdict !== undefined && !(spec.kind === 'liveness' && state.verdict === initialVerdict('liveness')),
    );
    results.set(told.id, Object.fromEntries(known.map(({ spec, state }) => [spec.kind, state.verdict])));
  }
  return results;
}
