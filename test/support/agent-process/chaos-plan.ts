import { seededRandom, type Random } from '../../../src/actor/random.ts';
import type { Profile } from '../../../src/agent/settings.ts';
import type { Provocation } from '../../../src/actor/threads/thread-control.ts';

/** One fault. A slot stands for the pod in it at that time. */
export type ChaosFault =
  | { readonly do: 'crash-actor'; readonly actor: string }
  | { readonly do: 'crash-worker'; readonly slot: number }
  | { readonly do: 'fail-thread'; readonly thread: string; readonly how: Provocation }
  /** Rules of one fault plan; `SLOT` in an actor's name stands for the pod of the slot. */
  | { readonly do: 'plan'; readonly slot: number; readonly plan: Readonly<Record<string, unknown>> }
  | { readonly do: 'end-container'; readonly slot: number }
  | { readonly do: 'kill-agent' };

export type Change = { readonly do: 'write'; readonly slot: number } | { readonly do: 'remove'; readonly slot: number };

export interface ChaosStep {
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly event: ChaosFault | Change;
}

export interface ChaosSize {
  readonly seed: number;
  /** The agent's profile, which decides the threads that may fail. */
  readonly profile: Profile;
  readonly pods: number;
  readonly faults: number;
  readonly lengthMs: number;
  /** How often the agent's process is killed, among the faults. */
  readonly agentKills: number;
  /** Threads that fail by themselves, among the faults. */
  readonly threadFailures: number;
  /** How many of the faults are crashes of singleton actors. */
  readonly actorCrashes: number;
  readonly changes: number;
}

const fixedActors = ['pleg', 'cri-gateway', 'pod-manager', 'pod-source-file', 'status-manager', 'job-pool'];
const threadsOf: Readonly<Record<Profile, readonly string[]>> = {
  standard: ['cri', 'pleg', 'node', 'pods-0', 'pods-1'],
  compact: ['core', 'pods-0'],
};
/** Ways for a thread to fail. Those after the fourth take the heartbeat's budget, or a heap to be filled, to show. */
const ends: readonly Provocation[] = ['exit', 'throw', 'reject', 'exhaust-buffers', 'hang', 'wait', 'exhaust-heap'];
const methods = [
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'StopPodSandbox',
  'RemoveContainer',
  'RemovePodSandbox',
  'ListContainers',
  'ListPodSandbox',
  'ContainerStatus',
  'PodSandboxStatus',
  'ImageStatus',
];
const codes = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN', 'RESOURCE_EXHAUSTED'];

/**
 * Makes the steps of a run: the faults, their times and targets. The same size gives the same steps; their effects
 * depend on the machine.
 */
export function chaosPlan(size: ChaosSize): readonly ChaosStep[] {
  const random = seededRandom(size.seed);
  const chance = chances(random);
  const threads = threadsOf[size.profile];
  const slot = (): number => chance.whole(size.pods);
  const faults: ChaosFault[] = [
    ...times(size.agentKills, () => ({ do: 'kill-agent' }) as const),
    ...times(
      size.threadFailures,
      () => ({ do: 'fail-thread', thread: chance.among(threads), how: chance.among(ends) }) as const,
    ),
    ...times(size.actorCrashes, () => ({ do: 'crash-actor', actor: chance.among(fixedActors) }) as const),
  ];
  while (faults.length < size.faults) {
    const at = chance.whole(10);
    if (at < 4) faults.push({ do: 'crash-worker', slot: slot() });
    else if (at < 9) faults.push({ do: 'plan', slot: slot(), plan: makePlan(chance, threads) });
    else faults.push({ do: 'end-container', slot: slot() });
  }
  const when = (): number => chance.whole(size.lengthMs);
  // Some come together, and some into the recovery from another.
  const moments = faults.reduce<number[]>((all, _, index) => {
    const before = all[index - 1];
    all.push(before !== undefined && chance.whole(4) === 0 ? before + chance.whole(200) : when());
    return all;
  }, []);
  const steps: ChaosStep[] = faults.map((event, index) => ({ at: moments[index] ?? 0, event }));
  for (let count = 0; count < size.changes; count++) {
    steps.push({ at: when(), event: { do: chance.whole(3) === 0 ? 'remove' : 'write', slot: slot() } });
  }
  return steps.toSorted((one, other) => one.at - other.at);
}

type Rule = Readonly<Record<string, unknown>>;

function makePlan(chance: Chances, threads: readonly string[]): Readonly<Record<string, unknown>> {
  const forMs = 500 + chance.whole(2_500);
  const seed = chance.whole(2 ** 31);
  const rule = chance.among(rules)(chance, threads);
  return { seed, blastRadius: { maxActors: 300, maxThreads: 1, maxMinutes: forMs / 60_000 }, rules: [rule] };
}

const rate = (chance: Chances): number => (1 + chance.whole(9)) / 10;
const slowness = (chance: Chances): number => 10 + chance.whole(1_500);

/** One rule per entry. A kind appears as often as its weight. */
const rules: readonly ((chance: Chances, threads: readonly string[]) => Rule)[] = [
  // The pod's worker throws at a message to come.
  (chance) => ({ match: { actor: 'SLOT' }, when: { nth: 1 + chance.whole(4) }, action: 'crash' }),
  (chance) => ({ match: { actor: 'SLOT' }, action: { type: 'hang', forMs: slowness(chance) } }),
  // The actor reads no message until the plan is over.
  (chance) => ({ match: { actor: chance.among(['SLOT', ...fixedActors]) }, when: { atMost: 1 }, action: 'hang' }),
  (chance) => ({
    match: { actor: chance.among(['pod-worker', ...fixedActors]) },
    when: { rate: rate(chance) / 2 },
    action: { type: 'delay', delayMs: slowness(chance) / 3 },
  }),
  ...times(2, () => (chance: Chances): Rule => ({
    match: { at: chance.among(['mailbox', 'link']), actor: chance.among(['SLOT', 'pod-worker', ...fixedActors]) },
    when: { rate: rate(chance), atMost: 3 },
    action: 'drop',
  })),
  (chance) => ({
    match: { at: chance.among(['mailbox', 'link']), actor: chance.among(['SLOT', 'pod-worker', ...fixedActors]) },
    when: { rate: rate(chance), atMost: 3 },
    action: chance.among(['duplicate', 'reorder']),
  }),
  (chance) => ({
    match: { at: 'link', actor: 'pod-worker' },
    when: { rate: rate(chance) },
    action: chance.among<unknown>(['duplicate', 'reorder', { type: 'delay', delayMs: slowness(chance) / 3 }]),
  }),
  ...times(4, () => (chance: Chances): Rule => ({
    match: { criMethod: chance.among(methods) },
    when: { rate: rate(chance) },
    action: chance.among<unknown>([
      { type: 'error', code: chance.among(codes) },
      { type: 'error', code: chance.among(codes) },
      { type: 'delay', delayMs: slowness(chance) },
      { type: 'hang', forMs: slowness(chance) },
      'duplicate',
      'reorder',
    ]),
  })),
  // Done without a report of it, or never done.
  (chance) => ({
    match: { criMethod: chance.among(['CreateContainer', 'StartContainer', 'RunPodSandbox', 'StopContainer']) },
    when: { rate: rate(chance), atMost: 2 },
    action: { type: 'drop', lose: chance.among(['answer', 'request']) },
  }),
  (chance) => ({
    match: { criMethod: 'GetContainerEvents' },
    when: { rate: rate(chance) },
    action: chance.among<unknown>([
      'drop',
      'drop',
      'duplicate',
      'reorder',
      { type: 'delay', delayMs: slowness(chance) },
    ]),
  }),
  (chance) => ({
    match: { at: 'files' },
    when: { rate: rate(chance), atMost: 10 },
    action: chance.among<unknown>([
      { type: 'error', code: chance.among(['EIO', 'ENOSPC', 'EMFILE']) },
      { type: 'delay', delayMs: 20 + chance.whole(80) },
    ]),
  }),
  (chance, threads) => ({
    match: { thread: chance.among(threads) },
    action: { type: 'hang-thread', forMs: 50 + chance.whole(800) },
  }),
  (chance, threads) => ({
    match: { at: 'clock', thread: chance.among(threads) },
    action: chance.among<unknown>([
      { type: 'step', byMs: chance.whole(120_000) - 60_000 },
      { type: 'skew', factor: 0.5 + chance.whole(30) / 10 },
      { type: 'delay', delayMs: chance.whole(500) },
    ]),
  }),
];

function times<T>(count: number, make: () => T): readonly T[] {
  return Array.from({ length: count }, make);
}

interface Chances {
  /** Returns a number in [0, limit). */
  whole(limit: number): number;
  among<T>(all: readonly T[]): T;
}

function chances(random: Random): Chances {
  const whole = (limit: number): number => Math.floor(random() * limit);
  return {
    whole,
    among<T>(all: readonly T[]): T {
      const index = whole(all.length);
      if (index >= all.length) throw new Error('nothing to choose from');
      // The index is within the list.
      return all[index] as T;
    },
  };
}
