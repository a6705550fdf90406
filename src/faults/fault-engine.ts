import { later, elapsedMs, type Clock, type MonotonicMs } from '../actor/clock.ts';
import type { Address } from '../actor/messages/message.ts';
import { addressPattern } from './address-pattern.ts';
import { countsBy, decideFault, mostActs } from './decide-fault.ts';
import {
  isThreadAction,
  type FaultAction,
  type FaultMatch,
  type FaultPlan,
  type FaultRule,
  type Seam,
  type ApiVerb,
} from './fault-plan.ts';
import { FaultCounts } from './fault-counts.ts';
import { matchesGlob } from '../kube/text/glob.ts';

/** A plan on its way to the threads that apply it. Plain data. */
export interface FaultOrder {
  readonly id: number;
  readonly plan: FaultPlan;
  /** Instant on the monotonic scale that all threads share. */
  readonly appliedAt: MonotonicMs;
  readonly counts: SharedArrayBuffer;
  /** The threads of the blast radius. A thread's index here is its number. */
  readonly threads: readonly string[];
}

/** An event at a seam. */
export type FaultEvent =
  | { readonly at: 'mailbox' | 'link'; readonly to: Address; readonly message: string }
  | { readonly at: 'cri'; readonly criMethod: string }
  | { readonly at: 'api'; readonly apiVerb: string; readonly apiResource: string }
  | { readonly at: 'files'; readonly file: string; readonly path: string }
  | { readonly at: 'clock' };

/** The action to take, and the plan behind it. */
export interface Verdict {
  readonly order: number;
  readonly rule: number;
  readonly action: FaultAction;
}

export const endsAt = ({ plan, appliedAt }: FaultOrder): MonotonicMs =>
  later(appliedAt, plan.blastRadius.maxMinutes * 60_000);

/** One rule as one thread applies it. */
interface LiveRule {
  readonly order: FaultOrder;
  readonly counts: FaultCounts;
  readonly index: number;
  readonly rule: FaultRule;
  readonly fits: (event: FaultEvent) => boolean;
  readonly actorsHit: Set<Address>;
}

/** The place where an engine decides. */
export interface FaultPlace {
  readonly thread: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Actors already affected by an order here. Kept by the code that replaces engines. */
  readonly actorsHit?: (order: number) => Set<Address>;
}

/** Decides the fate of each event on one thread, for all applied plans. It only decides. */
export class FaultEngine {
  readonly #thread: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #rules: Readonly<Record<Seam, readonly LiveRule[]>>;

  constructor(orders: readonly FaultOrder[], place: FaultPlace) {
    this.#thread = place.thread;
    this.#clock = place.clock;
    const live = orders.flatMap((order) => liveRules(order, place));
    const at = (seam: Seam): readonly LiveRule[] => live.filter(({ rule }) => rule.match.at === seam);
    this.#rules = {
      mailbox: at('mailbox').filter(({ rule }) => rule.when.atMs === undefined),
      link: at('link'),
      thread: at('thread'),
      cri: at('cri'),
      api: at('api'),
      files: at('files'),
      clock: at('clock'),
    };
  }

  /** `true` if any rule watches this seam. */
  watches(seam: Seam): boolean {
    return this.#rules[seam].length > 0;
  }

  /** Decides what to do about an event: the first rule that acts on it wins. `undefined` when no rule acts. */
  decide(event: FaultEvent): Verdict | undefined {
    for (const live of this.#rules[event.at]) {
      const { order, index, rule, counts } = live;
      if (!live.fits(event)) continue;
      const sinceApplyMs = elapsedMs(order.appliedAt, this.#clock.monotonic());
      if (sinceApplyMs >= order.plan.blastRadius.maxMinutes * 60_000 || !countsBy(rule.when, sinceApplyMs)) continue;
      const facts = { seed: order.plan.seed, rule: index, match: counts.match(index), acted: counts.acted(index) };
      if (decideFault(rule.when, facts) !== 'acts') continue;
      if (!counts.takeAct(index, mostActs(rule.when))) continue;
      if (this.#isWithin(live, event)) return { order: order.id, rule: index, action: rule.action };
      counts.giveActBack(index);
    }
    return undefined;
  }

  /**
   * Returns the rules that make this thread fail at an instant, without a message. They must be confirmed when the
   * instant has come.
   */
  timed(): readonly { readonly at: MonotonicMs; readonly confirm: () => FaultAction | undefined }[] {
    return this.#rules.thread.map((live) => ({
      at: later(live.order.appliedAt, live.rule.when.atMs ?? 0),
      confirm: () => (this.#takeThreadFault(live) ? live.rule.action : undefined),
    }));
  }

  /** Returns the shift of the wall clock at a monotonic instant, in milliseconds. */
  clockShiftMs(monotonic: MonotonicMs): number {
    let shift = 0;
    for (const { order, rule, index, counts } of this.#rules.clock) {
      const sinceMs = elapsedMs(order.appliedAt, monotonic) - (rule.when.atMs ?? rule.when.afterMs ?? 0);
      if (sinceMs < 0 || monotonic >= endsAt(order)) continue;
      if (rule.action.type === 'step') shift += rule.action.byMs;
      else if (rule.action.type === 'skew') shift += sinceMs * (rule.action.factor - 1);
      else continue;
      counts.takeAct(index, 1);
    }
    return shift;
  }

  /** `true` if the event is within the blast radius. An actor affected before may be affected again. */
  #isWithin({ order, rule, counts, actorsHit }: LiveRule, event: FaultEvent): boolean {
    const { blastRadius } = order.plan;
    if (isThreadAction(rule.action)) return counts.takeThread(order.threads.indexOf(this.#thread), blastRadius);
    if (!('to' in event) || actorsHit.has(event.to)) return true;
    if (!counts.takeActor(blastRadius)) return false;
    actorsHit.add(event.to);
    return true;
  }

  #takeThreadFault({ order, rule, index, counts }: LiveRule): boolean {
    if (this.#clock.monotonic() >= endsAt(order)) return false;
    if (!counts.takeAct(index, rule.when.atMost ?? 1)) return false;
    counts.match(index);
    if (counts.takeThread(order.threads.indexOf(this.#thread), order.plan.blastRadius)) return true;
    counts.giveActBack(index);
    return false;
  }
}

function liveRules(order: FaultOrder, { thread, actorsHit: hit }: FaultPlace): readonly LiveRule[] {
  const counts = new FaultCounts(order.counts);
  const actorsHit = hit?.(order.id) ?? new Set<Address>();
  return order.plan.rules.flatMap((rule, index) => {
    const { match, action } = rule;
    if (match.thread !== undefined && match.thread !== thread) return [];
    // Only threads of the order may be made to fail.
    if (isThreadAction(action) && !order.threads.includes(thread)) return [];
    return [{ order, counts, index, rule, fits: fitsOf(match, action), actorsHit }];
  });
}

function fitsOf(match: FaultMatch, action: FaultAction): (event: FaultEvent) => boolean {
  switch (match.at) {
    case 'mailbox':
    case 'link': {
      const { message } = match;
      const actor = match.actor === undefined ? () => true : addressPattern(match.actor);
      // A host is the runtime itself, not an actor.
      return (event) =>
        'to' in event &&
        (message === undefined || event.message === message) &&
        !event.to.startsWith('host/') &&
        actor(event.to);
    }
    case 'cri': {
      const { criMethod } = match;
      return (event) => event.at === 'cri' && (criMethod === undefined || event.criMethod === criMethod);
    }
    case 'api': {
      const { apiVerb, apiResource } = match;
      const verbs = apiVerb === undefined ? undefined : verbsOf(apiVerb);
      return (event) =>
        event.at === 'api' &&
        (verbs?.includes(event.apiVerb) ?? true) &&
        (apiResource === undefined || matchesGlob(apiResource, event.apiResource));
    }
    case 'files': {
      const { file, path } = match;
      return (event) =>
        event.at === 'files' &&
        (file === undefined || event.file === file) &&
        (path === undefined || matchesGlob(path, event.path));
    }
    case 'clock':
      // Steps and skews are states of the clock. Only a late timer is an event.
      return () => action.type === 'delay';
    case 'thread':
      return () => false;
    default:
      return match satisfies never;
  }
}

function verbsOf(verb: ApiVerb): readonly string[] {
  switch (verb) {
    case 'GET':
      return ['get', 'list'];
    case 'POST':
      return ['create'];
    case 'PUT':
      return ['update'];
    case 'PATCH':
      return ['patch'];
    case 'DELETE':
      return ['delete'];
    default:
      return [verb];
  }
}
