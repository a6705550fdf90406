import { treeOf } from '../../actors/tree.ts';
import type { Profile } from '../../src/agent/settings.ts';
import type { CriMethodName } from '../../src/cri/methods.ts';
import { seededRandom, type Random } from '../../src/actor/random.ts';
import type { FaultPlan } from '../../src/faults/fault-plan.ts';
import type { Change, Fault, Plan, PlanStep } from './plan.ts';
import { podShapes } from './node/pod-shapes.ts';

/** The number of faults in each quarter of an hour. `crashes`: only crashes of actors and agents, and failures of
 * calls that create. */
export const intensities = { none: 0, light: 3, usual: 14, heavy: 40, crashes: 150, messages: 100 } as const;
export type Intensity = keyof typeof intensities;

export interface PlanWishes {
  readonly seed: number;
  readonly pods: number;
  readonly hours: number;
  readonly intensity: Intensity;
  /** `standard` by default. */
  readonly profile?: Profile;
}

/** The time within which a changed file is read. */
const SEEN_AFTER_MS = 30_000;
const SECOND = 1_000;
/** Each cycle: changes and faults, then a time to settle, then the checks. */
const CYCLE = { chaosMs: 480 * SECOND, checkAt: 840 * SECOND, lengthMs: 900 * SECOND };
/** The share of pods that are changed, removed or broken in each cycle. */
const CHANGED = 0.3;

/** The threads whose end the simulation can judge: those that handle pods. */
const threads: Readonly<Record<Profile, readonly string[]>> = {
  standard: ['cri', 'pleg', 'pods-0', 'pods-1', 'node'],
  compact: treeOf('compact', { api: 'standalone', serves: false }).threads.map(({ name }) => name),
};
const fixedActors = ['cri-gateway', 'pleg', 'status-manager', 'pod-manager', 'pod-source-file', 'job-pool'];
const methods: readonly (CriMethodName | '*')[] = [
  '*',
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'ContainerStatus',
  'PodSandboxStatus',
  'ListContainers',
  'ListPodSandbox',
  'ImageStatus',
  'PullImage',
];

/** Returns the plan of a seed. */
export function makePlan({ seed, pods, hours, intensity, profile = 'standard' }: PlanWishes): Plan {
  const chance = chances(seededRandom(seed), threads[profile]);
  const cycles = Math.max(1, Math.round((hours * 3_600 * SECOND) / CYCLE.lengthMs));
  const steps: PlanStep[] = [];
  const slots = new Slots(chance);
  for (let slot = 0; slot < pods; slot++) steps.push({ at: chance.below(30 * SECOND), event: slots.write(slot) });
  for (let cycle = 0; cycle < cycles; cycle++) {
    const from = cycle * CYCLE.lengthMs;
    const changed = cycle === 0 ? Math.ceil(pods * CHANGED * 0.5) : Math.ceil(pods * CHANGED);
    for (let count = 0; count < changed; count++) {
      const at = from + (cycle === 0 ? 60 * SECOND : 0) + chance.below(CYCLE.chaosMs - 60 * SECOND);
      steps.push({ at, event: slots.change(chance.whole(pods)) });
    }
    let at = from + chance.below(CYCLE.chaosMs);
    for (let count = 0; count < intensities[intensity]; count++) {
      // Faults come alone, together, or during the recovery from the fault before.
      const together = chance.of(0.3);
      at = together
        ? Math.min(at + chance.below(2 * SECOND), from + CYCLE.chaosMs)
        : from + chance.below(CYCLE.chaosMs);
      steps.push({ at, event: faultOf(intensity, chance, pods) });
    }
    steps.push({ at: from + CYCLE.chaosMs, event: { do: 'calm-down' } });
    steps.push({ at: from + CYCLE.checkAt, event: { do: 'check-convergence' } });
    steps.push(...lastMinute(chance, { from: from + CYCLE.checkAt, pods, last: cycle === cycles - 1 }));
  }
  // Steps of one instant keep the order in which they were generated.
  steps.sort((one, other) => one.at - other.at);
  const plan = { seed, pods, endsAt: cycles * CYCLE.lengthMs, steps: steps.filter(isSeen()) };
  return profile === 'standard' ? plan : { ...plan, profile };
}

/** Drops content that is overwritten by a broken file before it was read: then no pod is expected. */
function isSeen(): (step: PlanStep) => boolean {
  const written = new Map<number, number>();
  return ({ at, event }) => {
    if (event.do === 'write') written.set(event.slot, at);
    return event.do !== 'break' || at - (written.get(event.slot) ?? Number.NEGATIVE_INFINITY) > SEEN_AFTER_MS;
  };
}

/** Returns the same plan with a fault plan of the agent in the middle of each cycle, with its own seed each time. */
export function withFaultPlan(history: Plan, faults: FaultPlan): Plan {
  const cycles = Math.round(history.endsAt / CYCLE.lengthMs);
  const applied = Array.from({ length: cycles }, (_, cycle): PlanStep => {
    const plan = { ...faults, seed: (faults.seed + history.seed * 1_000 + cycle) % 2 ** 32 };
    return { at: cycle * CYCLE.lengthMs + 60 * SECOND, event: { do: 'apply-fault-plan', plan } };
  });
  return { ...history, steps: [...history.steps, ...applied].toSorted((one, other) => one.at - other.at) };
}

function lastMinute(
  chance: Chances,
  { from, pods, last }: { readonly from: number; readonly pods: number; readonly last: boolean },
): readonly PlanStep[] {
  if (last) {
    return [
      { at: from + SECOND, event: { do: 'remove-all' } },
      { at: from + 59 * SECOND, event: { do: 'check-nothing-left' } },
    ];
  }
  const crashes: readonly Fault[] = [
    { do: 'throw', actor: anyActor(chance, pods) },
    { do: 'exit-thread', thread: chance.thread() },
    ...(chance.of(0.3) ? [{ do: 'kill-agent', downMs: 200 + chance.below(1_000) } as const] : []),
  ];
  return crashes.flatMap((what, index) => {
    const at = from + SECOND + index * 18 * SECOND;
    return [
      {
        at,
        event: { do: 'crash-quietly', what: what as Extract<Fault, { do: 'throw' | 'exit-thread' | 'kill-agent' }> },
      },
      { at: at + 17 * SECOND, event: { do: 'check-unchanged' } },
    ] as const;
  });
}

/** The files after the changes so far, so that the next change is valid. */
class Slots {
  readonly #chance: Chances;
  readonly #shapes = new Map<number, string>();
  #revision = 0;

  constructor(chance: Chances) {
    this.#chance = chance;
  }

  write(slot: number, shape?: string): Change {
    const chosen = shape ?? this.#chance.among(podShapes).name;
    this.#shapes.set(slot, chosen);
    return { do: 'write', slot, shape: chosen, revision: ++this.#revision };
  }

  change(slot: number): Change {
    const shape = this.#shapes.get(slot);
    if (shape === undefined) return this.write(slot);
    if (this.#chance.of(0.35)) return this.write(slot, shape);
    if (this.#chance.of(0.3)) return this.write(slot);
    if (this.#chance.of(0.4)) return { do: 'break', slot };
    this.#shapes.delete(slot);
    return { do: 'remove', slot };
  }
}

const anyActor = (chance: Chances, pods: number): string =>
  chance.of(0.5) ? chance.among(fixedActors) : `slot/${chance.whole(pods)}`;

function makeFault(chance: Chances, pods: number): Fault {
  const slot = chance.whole(pods);
  const forMs = 1 * SECOND + chance.below(chance.of(0.2) ? 120 * SECOND : 20 * SECOND);
  const makers: readonly (readonly [weight: number, make: () => Fault])[] = [
    [6, () => ({ do: 'throw', actor: anyActor(chance, pods) })],
    [
      6,
      () => ({
        do: 'throw-at-message',
        actor: anyActor(chance, pods),
        message: 1 + chance.whole(20),
        moment: chance.of(0.5) ? 'before' : 'after',
      }),
    ],
    [1, () => ({ do: 'fail-starts', actor: anyActor(chance, pods), starts: 1 + chance.whole(8) })],
    [4, () => ({ do: 'exit-thread', thread: chance.thread() })],
    [3, () => ({ do: 'hang-thread', thread: chance.thread(), forMs: 500 + chance.below(15 * SECOND) })],
    [2, () => ({ do: 'kill-agent', downMs: 200 + chance.below(chance.of(0.2) ? 60 * SECOND : 2 * SECOND) })],
    [2, () => ({ do: 'runtime-outage', forMs })],
    [1, () => ({ do: 'cut-streams' })],
    [
      4,
      () => {
        const how = chance.among(['before', 'after', 'lost'] as const);
        const method = chance.among(methods);
        // A pull has no deadline: a runtime that never answers a pull has broken gRPC, not just failed.
        const patient = how === 'lost' && (method === '*' || method === 'PullImage') ? 'CreateContainer' : method;
        return { do: 'failing-calls', method: patient, how, rate: 0.1 + chance.below(0.9), forMs };
      },
    ],
    [2, () => ({ do: 'slow-calls', typicalMs: 5 + chance.below(60), forMs })],
    [
      3,
      () => ({
        do: 'bad-events',
        lost: chance.below(1),
        doubled: chance.below(0.5),
        delayMs: chance.below(5 * SECOND),
        forMs,
      }),
    ],
    [2, () => ({ do: 'slow-links', typicalMs: 1 + chance.below(20), forMs })],
    [3, () => makeBadMessages(chance, pods)],
    [1, () => ({ do: 'no-watch', forMs })],
    [1, () => ({ do: 'lose-job' })],
    [
      1,
      () => ({
        do: 'step-clock',
        byMs: chance.of(0.5)
          ? chance.below(3_600 * SECOND)
          : -chance.below(chance.of(0.5) ? 5 * SECOND : 3_600 * SECOND),
      }),
    ],
    [3, () => ({ do: 'exit-container', slot, code: chance.of(0.5) ? 0 : 1 })],
    [2, () => ({ do: 'vanish-container', slot })],
    [2, () => ({ do: 'die-sandbox', slot })],
    [1, () => ({ do: 'vanish-sandbox', slot })],
  ];
  let left = chance.below(makers.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of makers) {
    left -= weight;
    if (left < 0) return make();
  }
  return { do: 'cut-streams' };
}

function faultOf(intensity: Intensity, chance: Chances, pods: number): Fault {
  if (intensity === 'crashes') return makeCrash(chance, pods);
  if (intensity === 'messages') return chance.of(0.8) ? makeBadMessages(chance, pods) : makeCrash(chance, pods);
  return makeFault(chance, pods);
}

function makeBadMessages(chance: Chances, pods: number): Fault {
  const actor = chance.of(0.3) ? 'pod-worker' : anyActor(chance, pods);
  return {
    do: 'bad-messages',
    actor,
    at: chance.of(0.7) ? 'mailbox' : 'link',
    how: chance.among(['drop', 'drop', 'delay', 'delay', 'duplicate', 'reorder']),
    rate: 0.1 + chance.below(0.9),
    delayMs: 10 + chance.below(3_000),
    atMost: 1 + chance.whole(chance.of(0.5) ? 2 : 30),
    forMs: 500 + chance.below(5 * SECOND),
  };
}

const creating: readonly CriMethodName[] = ['RunPodSandbox', 'CreateContainer', 'StartContainer'];

function makeCrash(chance: Chances, pods: number): Fault {
  const actor = chance.of(0.8) ? `slot/${chance.whole(pods)}` : chance.among(fixedActors);
  if (chance.of(0.5)) {
    return { do: 'throw-at-message', actor, message: 1 + chance.whole(4), moment: chance.of(0.5) ? 'before' : 'after' };
  }
  if (chance.of(0.2)) return { do: 'kill-agent', downMs: 100 };
  if (chance.of(0.4)) return { do: 'throw', actor };
  if (chance.of(0.5)) return { do: 'fail-starts', actor, starts: 1 + chance.whole(8) };
  const method = chance.among(creating);
  return { do: 'failing-calls', method, how: chance.among(['after', 'lost']), rate: 0.5, forMs: 2 * SECOND };
}

interface Chances {
  /** In [0, limit). */
  below(limit: number): number;
  whole(limit: number): number;
  of(probability: number): boolean;
  among<T>(all: readonly T[]): T;
  thread(): string;
}

function chances(random: Random, threadNames: readonly string[]): Chances {
  const whole = (limit: number): number => Math.floor(random() * limit);
  const among = <T>(all: readonly T[]): T => {
    const chosen = all[whole(all.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  };
  return {
    below: (limit) => random() * limit,
    whole,
    of: (probability) => random() < probability,
    among,
    thread: () => among(threadNames),
  };
}
