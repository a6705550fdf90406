import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { Address } from '../../src/actor/messages/message.ts';
import { criMethods, lanes, type Effect, type Lane } from '../../src/cri/methods.ts';
import type { CriCall, RuntimeCheck, RuntimeHealth } from './protocol.ts';

/** How many calls of a lane may be under way at once. */
export type LaneLimits = Readonly<Record<Lane, number>>;

export const defaultLaneLimits: LaneLimits = {
  stop: 128,
  start: 128,
  list: 8,
  status: 64,
  probe: 64,
  // As many as there may be pods with a running hook: a hook occupies the container, not the runtime.
  hook: 1_000,
  stats: 4,
  pull: 64,
  remove: 8,
  // Two, so that one hanging call does not stop all clean-up; more would load the runtime with work that no pod waits
  // for.
  background: 2,
};

export interface ScheduledCall {
  readonly id: number;
  readonly lane: Lane;
  readonly effect: Effect;
  readonly podUid: string | undefined;
  readonly caller: Address;
  readonly incarnation: number;
}

export const scheduled = (id: number, call: CriCall): ScheduledCall => {
  const { lane: usual, effect } = criMethods[call.method];
  const { podUid, caller, incarnation, lane = usual } = call;
  return { id, lane, effect, podUid, caller, incarnation };
};

/**
 * A call whose turn has come. `heldBack`: the call waited for calls of an earlier incarnation, so its reasons may be
 * outdated.
 */
export interface Released {
  readonly call: ScheduledCall;
  readonly heldBack: boolean;
}

/**
 * A call counts against its lane's limit for this long. After that it shows only that this call is stuck, not that the
 * runtime is busy, and waiting calls must not be held up.
 */
const PROMPT_MS = 10_000;
/**
 * A working pull may take minutes. Where images are pulled one at a time, a stuck pull must not block all other images
 * for ever.
 */
const PROMPT_PULL_MS = 60_000;

/**
 * How long a call of a lane counts against the limit. `undefined` when it counts until its end: a hook may run for
 * minutes, and does not load the runtime.
 */
export function countsForMs(lane: Lane): number | undefined {
  if (lane === 'hook') return undefined;
  return lane === 'pull' ? PROMPT_PULL_MS : PROMPT_MS;
}

/**
 * A lane never has more than this many times its limit under way, answered or not: a stuck runtime must not be flooded.
 */
const UNANSWERED_LANES = 4;

/** Lanes whose calls create nothing of a pod, and may take minutes. */
const harmlessLanes: ReadonlySet<Lane> = new Set(['pull', 'probe', 'hook', 'stats']);

/**
 * Decides which calls may go now. Lanes are served in order of urgency, each with its own limit. Calls of a lane go in
 * order of arrival, with one exception: a call that creates waits while a call of an *earlier incarnation* of its
 * caller is under way for its pod. Knows nothing of sockets, threads or clocks.
 */
export class CallSchedule {
  readonly #limits: LaneLimits;
  readonly #waiting = new Map<Lane, ScheduledCall[]>(lanes.map((lane) => [lane, []]));
  readonly #underWay = new Map<number, ScheduledCall>();
  readonly #inLane = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  /** Calls under way for so long that they no longer count against the limit. */
  readonly #unanswered = new Map<Lane, Set<number>>(lanes.map((lane) => [lane, new Set()]));
  /** Calls under way that create or end something of a pod, by pod. */
  readonly #ofPod = new Map<string, Set<ScheduledCall>>();
  /** Calls under way that an earlier schedule released. */
  readonly #adopted = new Set<number>();
  readonly #heldBack = new Set<number>();

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Returns the calls that may go now, which may include `call`. */
  offer(call: ScheduledCall): readonly Released[] {
    this.#queue(call.lane).push(call);
    return this.#release([call.lane]);
  }

  /**
   * Adds a call that an earlier gateway sent. The call was reported as lost to its caller, which may retry in the same
   * incarnation, so the call fences its pod against every caller.
   */
  adopt(call: ScheduledCall): void {
    this.#adopted.add(call.id);
    this.#begin(call);
  }

  settled(id: number): readonly Released[] {
    const call = this.#underWay.get(id);
    if (call === undefined) return [];
    this.#underWay.delete(id);
    this.#adopted.delete(id);
    this.#inLane.set(call.lane, (this.#inLane.get(call.lane) ?? 1) - 1);
    this.#unanswered.get(call.lane)?.delete(id);
    const pod = call.podUid === undefined ? undefined : this.#ofPod.get(call.podUid);
    if (call.podUid !== undefined && pod?.delete(call) === true && pod.size === 0) this.#ofPod.delete(call.podUid);
    return this.#release(lanes);
  }

  /**
   * Notes that a call has been under way for as long as it counts (`countsForMs`). Another call may go in its place.
   */
  unanswered(id: number): readonly Released[] {
    const call = this.#underWay.get(id);
    if (call === undefined || countsForMs(call.lane) === undefined) return [];
    this.#unanswered.get(call.lane)?.add(id);
    return this.#release([call.lane]);
  }

  /** Removes a call that has had no turn. */
  withdraw({ id, lane }: Pick<ScheduledCall, 'id' | 'lane'>): void {
    const queue = this.#queue(lane);
    const index = queue.findIndex((call) => call.id === id);
    if (index >= 0) queue.splice(index, 1);
    this.#heldBack.delete(id);
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  get waiting(): number {
    let count = 0;
    for (const queue of this.#waiting.values()) count += queue.length;
    return count;
  }

  #release(among: readonly Lane[]): readonly Released[] {
    const released: Released[] = [];
    for (const lane of among) {
      const queue = this.#queue(lane);
      for (let index = 0; index < queue.length && this.#mayStart(lane);) {
        const call = queue[index];
        if (call === undefined || this.#isFenced(call)) {
          index++;
          continue;
        }
        queue.splice(index, 1);
        this.#begin(call);
        released.push({ call, heldBack: this.#heldBack.delete(call.id) });
      }
    }
    return released;
  }

  #begin(call: ScheduledCall): void {
    this.#underWay.set(call.id, call);
    this.#inLane.set(call.lane, (this.#inLane.get(call.lane) ?? 0) + 1);
    if (call.podUid === undefined || call.effect === 'reads' || harmlessLanes.has(call.lane)) return;
    const pod = this.#ofPod.get(call.podUid);
    if (pod === undefined) this.#ofPod.set(call.podUid, new Set([call]));
    else pod.add(call);
  }

  #mayStart(lane: Lane): boolean {
    const all = this.#inLane.get(lane) ?? 0;
    const prompt = all - (this.#unanswered.get(lane)?.size ?? 0);
    return prompt < this.#limits[lane] && all < this.#limits[lane] * UNANSWERED_LANES;
  }

  #isFenced(call: ScheduledCall): boolean {
    if (call.effect !== 'creates' || call.podUid === undefined) return false;
    for (const other of this.#ofPod.get(call.podUid) ?? []) {
      const isEarlier = other.caller === call.caller && other.incarnation < call.incarnation;
      if (!isEarlier && !this.#adopted.has(other.id)) continue;
      this.#heldBack.add(call.id);
      return true;
    }
    return false;
  }

  #queue(lane: Lane): ScheduledCall[] {
    const queue = this.#waiting.get(lane);
    if (queue === undefined) throw new Error(`no such lane: ${lane}`);
    return queue;
  }
}

/**
 * Returns the key under which concurrent identical reads share one call. `undefined` when each call must be made: calls
 * that change something, and reads about a single pod, which never coincide.
 */
export function singleFlightKey(call: CriCall): string | undefined {
  switch (call.method) {
    case 'ListContainers':
    case 'ListPodSandbox':
    case 'ListImages':
    case 'ImageFsInfo':
    case 'ImageStatus':
    case 'Version':
    case 'Status':
      return `${call.method} ${Buffer.from(call.request).toString('latin1')}`;
    default:
      return undefined;
  }
}

/** Computes the runtime's health after the latest check. `changed` is `true` if listeners must be notified. */
export function afterCheck(
  health: RuntimeHealth,
  check: RuntimeCheck,
  now: MonotonicMs,
): { readonly health: RuntimeHealth; readonly changed: boolean } {
  if (!check.ok) {
    if (health.state === 'down') return { health, changed: false };
    return { health: { state: 'down', since: now, fault: check.fault }, changed: true };
  }
  const { facts } = check;
  if (health.state !== 'up') return { health: { state: 'up', since: now, runtime: facts }, changed: true };
  const same =
    health.runtime.name === facts.name &&
    health.runtime.runtimeReady === facts.runtimeReady &&
    health.runtime.networkNotReady === facts.networkNotReady &&
    health.runtime.version === facts.version;
  return same ? { health, changed: false } : { health: { ...health, runtime: facts }, changed: true };
}
