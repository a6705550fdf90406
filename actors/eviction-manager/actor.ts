import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { nodeEventObject, podEventObject, type RecordEvent } from '../../src/kube/event.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podKey, type Pod } from '../../src/kube/pod.ts';
import { observationsOf, type NodeFigures, type PodFigures } from '../../src/node/eviction/figures.ts';
import type { FileSystems, ReclaimStep } from '../../src/node/eviction/file-systems.ts';
import { isMet } from '../../src/node/eviction/judge.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import { POD_MANAGER, type EvictionFacts } from '../pod-manager/protocol.ts';
import type { Victim } from './choose-victims.ts';
import type { EvictionMetrics } from './metrics.ts';
import type {
  EvictionManagerProtocol,
  EvictionManagerQuestion,
  Leftovers,
  PodWithFigures,
  PressuresObserved,
} from './protocol.ts';
import { decide, initialState, type EvictionEffect, type EvictionManagerSettings } from './state.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface EvictionManagerDeps {
  readonly settings: EvictionManagerSettings;
  readonly nodeName: string;
  readonly figures: EvictionFigures;
  /** Steps by which the node can free resources itself. A missing step is skipped. */
  readonly reclaim: Readonly<Partial<Record<ReclaimStep, () => Promise<void>>>>;
  /** `true` if nothing of the ended pod's volumes is left. */
  readonly isTornDown: (uid: PodUid) => Promise<boolean>;
  /** The actors that receive the node's pressures. */
  readonly listeners: readonly AddressOf<Listener<PressuresObserved>>[];
  readonly recordEvent: RecordEvent;
  readonly metrics: EvictionMetrics;
  /** Interval of checks of memory alone, between two observations of the node; 0: never. */
  readonly watchMemoryEveryMs: number;
}

/**
 * The source of figures, measured for each question. A rejection with an `ActorFault` means that the figures are
 * unknown.
 */
export interface EvictionFigures {
  node(): Promise<NodeFigures>;
  /** Figures of the named pods, without pods that have none. `undefined` when no pod has figures. */
  pods(uids: readonly PodUid[], files: FilesOfPods): Promise<readonly PodFigures[] | undefined>;
  /** Figures of the node's memory alone. */
  memory(): Promise<Pick<NodeFigures, 'memory'>>;
  fileSystems(): Promise<FileSystems>;
}

/**
 * `walked-lately`: the files of pods are walked again if the last walk is old. A pod that has just filled the disk must
 * not appear to use none.
 */
export type FilesOfPods = 'walked-lately' | 'as-last-walked';

const FACTS_WITHIN_MS = 10_000;
const FIGURES_WITHIN_MS = 10_000;
/** Deadline for the end of a pod: one and a half times its grace period, but at least this. */
const END_WITHIN_MS = 10_000;
const EXCEEDED = 'Container runtime did not kill the pod within specified grace period.';

/** Keeps the node from running out of memory, disk and process IDs by evicting pods. */
export class EvictionManager implements Actor<EvictionManagerProtocol> {
  readonly #context: ActorContext<EvictionManagerProtocol>;
  readonly #observing: Duty;
  readonly #deps: EvictionManagerDeps;
  #state = initialState;
  /** Read once: disks are not swapped under a running agent. */
  #fileSystems: FileSystems | undefined;

  constructor(context: ActorContext<EvictionManagerProtocol>, deps: EvictionManagerDeps) {
    this.#context = context;
    this.#observing = dutyOf(context, {
      work: 'measure what the node has left',
      follows: 'no pod is evicted when the node runs out of memory or disk',
    });
    this.#deps = deps;
  }

  start(): void {
    this.#perform({ type: 'resume', afterMs: 0 });
    this.#watchMemory();
  }

  tell(command: EvictionManagerProtocol['command']): void {
    const now = this.#context.clock.monotonic();
    const before = this.#state.pressures;
    const { next, effects } = decide(this.#state, command, { ...this.#deps.settings, now });
    this.#state = next;
    this.#logChange(before, next.pressures);
    for (const effect of effects) this.#perform(effect);
  }

  ask(question: EvictionManagerQuestion): Pressures | undefined {
    switch (question.type) {
      case 'node-pressures':
        return this.#state.pressures;
      default:
        return assertNever(question.type, 'eviction manager question');
    }
  }

  #perform(effect: EvictionEffect): void {
    const { self, log } = this.#context;
    switch (effect.type) {
      case 'resume':
        return this.#after(effect.afterMs, async () => {
          const facts = await this.#facts([]);
          self.tell({ type: 'resumed', left: facts && { evicting: facts.evicting, pressures: facts.pressures } });
        });
      case 'wait-for-pass':
        return this.#after(effect.afterMs, () => self.tell({ type: 'pass-due', pass: effect.pass }));
      case 'observe-node':
        return this.#after(0, () => this.#observe(effect));
      case 'tell-pressures': {
        const { pressures } = effect;
        for (const listener of this.#deps.listeners) {
          this.#context.ref(listener).tell({ type: 'pressures-observed', pressures });
        }
        return;
      }
      case 'tell-attempt': {
        const message = `Attempting to reclaim ${effect.resource}`;
        log.warn(
          { resource: effect.resource },
          'the node is short of a resource; reclaiming what no pod needs, and evicting a pod if that is not enough',
        );
        const object = nodeEventObject(this.#deps.nodeName);
        return this.#deps.recordEvent({ object, type: 'Warning', reason: 'EvictionThresholdMet', message });
      }
      case 'reclaim':
        return this.#after(0, async () => {
          for (const step of effect.steps) await this.#reclaim(step);
          const node = await this.#node();
          self.tell({ type: 'reclaimed', pass: effect.pass, node });
        });
      case 'find-candidates':
        return this.#after(0, async () => {
          const facts = await this.#facts('all');
          const pods =
            facts && (await this.#withFigures(facts.pods, effect.byDisk ? 'walked-lately' : 'as-last-walked'));
          const candidates = facts && pods && { pods, evicting: facts.evicting };
          self.tell({ type: 'candidates-found', pass: effect.pass, candidates });
        });
      case 'count-stats-age': {
        const now = this.#context.clock.now();
        for (const { signal } of effect.due) {
          const at = effect.observations.get(signal)?.at;
          if (at !== undefined) this.#deps.metrics.statsAge(signal, (now - at) / 1_000);
        }
        return;
      }
      case 'evict':
        return this.#evict(effect);
      case 'evict-again':
        return this.#context.supervise(this.#endPod(effect.victim));
      case 'find-leftovers':
        return this.#after(effect.afterMs, async () => {
          const leftovers = await this.#leftovers(effect.of);
          self.tell({ type: 'leftovers-found', pass: effect.pass, leftovers });
        });
      default:
        return assertNever(effect, 'eviction manager effect');
    }
  }

  #after(ms: number, work: () => Promise<void> | void): void {
    const start = (): void => this.#context.supervise(Promise.resolve(work()));
    if (ms === 0) start();
    else this.#context.clock.after(ms, start);
  }

  async #facts(of: 'all' | 'storage-limited' | readonly PodUid[]): Promise<EvictionFacts | undefined> {
    const manager = this.#context.ref(POD_MANAGER);
    const facts = await orUndefined(manager.ask({ type: 'eviction-facts', of }, { deadlineMs: FACTS_WITHIN_MS }));
    return facts?.complete === true ? facts : undefined;
  }

  async #observe({ pass, storageLimits }: Extract<EvictionEffect, { type: 'observe-node' }>): Promise<void> {
    const { figures } = this.#deps;
    this.#fileSystems ??= await orUndefined(figures.fileSystems());
    const [node, limited] = await Promise.all([
      this.#node(),
      storageLimits ? this.#facts('storage-limited').then((facts) => this.#withFigures(facts?.pods ?? [])) : [],
    ]);
    const observation = node && { node, fileSystems: this.#fileSystems ?? 'single', limited: limited ?? [] };
    if (observation === undefined) this.#observing.failed('there are no figures of the node');
    else this.#observing.worked();
    this.#context.self.tell({ type: 'signals-observed', pass, observation });
  }

  /** The deadline keeps a hanging disk from stopping all further passes. */
  #node(): Promise<NodeFigures | undefined> {
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.#context.clock.after(FIGURES_WITHIN_MS, () => resolve(undefined));
    return Promise.race([orUndefined(this.#deps.figures.node()), over]).finally(cancel);
  }

  /** `undefined` when there are no figures of any pod. */
  async #withFigures(
    pods: readonly Pod[],
    files: FilesOfPods = 'as-last-walked',
  ): Promise<readonly PodWithFigures[] | undefined> {
    if (pods.length === 0) return [];
    const uids = pods.map(({ metadata }) => podUid(metadata.uid));
    const figures = await orUndefined(this.#deps.figures.pods(uids, files));
    // A pod that has just started has no figures. If all pods lack figures, the source failed.
    if (figures === undefined || figures.length === 0) return undefined;
    const known = new Map(figures.map((each) => [each.podRef.uid, each]));
    return pods.map((pod) => ({ pod, figures: known.get(pod.metadata.uid) }));
  }

  async #reclaim(step: ReclaimStep): Promise<void> {
    const reclaim = this.#deps.reclaim[step];
    if (reclaim === undefined) return;
    await answerOr(reclaim(), ({ code }) =>
      this.#context.log.warn({ step, code }, 'the node could not free what it has to spare; going on'),
    );
  }

  /** The pod manager is asked first: an event or metric must not precede its eviction. */
  #evict({ pass, victim }: Extract<EvictionEffect, { type: 'evict' }>): void {
    const { pod, words, signal } = victim;
    const { log, self } = this.#context;
    const ended = this.#endPod(victim);
    const event = { object: podEventObject(pod), type: 'Warning', reason: 'Evicted', message: words.message } as const;
    this.#deps.recordEvent({ ...event, annotations: words.annotations });
    this.#deps.metrics.evicted(signal);
    log.warn({ pod: podKey(pod), signal }, `evicting the pod: ${words.message.trim()}`);
    const answer = async (): Promise<void> => {
      const end = await ended;
      if (end === 'late') {
        log.warn({ pod: podKey(pod) }, 'an evicted pod did not end in time; continuing without waiting for the pod');
        this.#deps.recordEvent({ ...event, reason: 'ExceededGracePeriod', message: EXCEEDED });
      }
      self.tell({ type: 'eviction-answered', pass, podUid: podUid(pod.metadata.uid), ended: end === 'ended' });
    };
    this.#context.supervise(answer());
  }

  async #endPod({ pod, graceSeconds, words, disruption }: Victim): Promise<'ended' | 'late' | 'unknown'> {
    const question = {
      type: 'evict-pod',
      podUid: podUid(pod.metadata.uid),
      gracePeriodSeconds: graceSeconds,
      ending: { reason: 'Evicted', message: words.message, disruption },
    } as const;
    const deadlineMs = Math.max(END_WITHIN_MS, graceSeconds * 1_500);
    const manager = this.#context.ref(POD_MANAGER);
    const ended = manager.ask(question, { deadlineMs }).then(() => 'ended' as const);
    return answerOr(ended, ({ code }) => (code === 'deadline-exceeded' ? 'late' : 'unknown'));
  }

  async #leftovers(of: readonly PodUid[]): Promise<Leftovers | undefined> {
    const facts = await this.#facts(of);
    if (facts === undefined) return undefined;
    const ended = of.filter((uid) => !facts.there.includes(uid));
    const tornDown = await Promise.all(ended.map((uid) => orUndefined(this.#deps.isTornDown(uid))));
    const remains = ended.filter((_, index) => tornDown[index] !== true);
    const forgotten = facts.there.filter((uid) => !facts.evicting.includes(uid));
    return { left: [...facts.there, ...remains], forgotten };
  }

  /** Memory may run out in less time than passes between two observations of the node. */
  #watchMemory(): void {
    const { settings, watchMemoryEveryMs: everyMs, figures } = this.#deps;
    const thresholds = settings.thresholds.filter(({ signal }) => signal === 'memory.available');
    if (everyMs === 0 || thresholds.length === 0) return;
    let wasLow = false;
    const watch = async (): Promise<void> => {
      const node = await orUndefined(figures.memory());
      const observed = node && observationsOf(node);
      const isLow = observed !== undefined && thresholds.some((each) => isMet(each, observed, 'value'));
      if (isLow && !wasLow) this.#context.self.tell({ type: 'memory-low' });
      wasLow = isLow;
      this.#after(everyMs, watch);
    };
    this.#after(everyMs, watch);
  }

  #logChange(before: Pressures | undefined, after: Pressures | undefined): void {
    if (after === undefined) return;
    for (const kind of ['memory', 'disk', 'pid'] as const) {
      if (after[kind] === (before?.[kind] ?? false)) continue;
      if (after[kind]) this.#context.log.warn({ kind }, 'the node is under pressure');
      else this.#context.log.info({ kind }, 'the node is no longer under pressure');
    }
  }
}

/** A missing answer is no error: the question is asked again. */
const orUndefined = <T>(answer: Promise<T>): Promise<T | undefined> => answerOr(answer, () => undefined);
