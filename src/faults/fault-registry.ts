import { elapsedMs, later, type Clock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import type { Address } from '../actor/messages/message.ts';
import { seededRandom } from '../actor/random.ts';
import { addressPattern } from './address-pattern.ts';
import { endsAt, type FaultOrder } from './fault-engine.ts';
import type { FaultPlan, FaultRule } from './fault-plan.ts';
import type { FaultProblem } from './fault-problem.ts';
import { FaultCounts, countsMemory, type RuleCounts } from './fault-counts.ts';
import type { FaultWorld } from './fault-world.ts';
import { ON_PURPOSE } from './message-seam.ts';
import { readFaultPlan } from './read-fault-plan.ts';

export interface FaultRegistryOptions {
  readonly world: FaultWorld;
  readonly clock: Clock;
  readonly log: Log;
  /** Applies exactly these plans on every thread, also on threads replaced later. */
  readonly distribute: (orders: readonly FaultOrder[]) => Promise<void>;
  readonly crashActor: (address: Address, reason: string) => Promise<boolean>;
  /** Returns every living actor. */
  readonly addresses: () => Promise<readonly Address[]>;
  /** Returns the address behind a readable name. `undefined` when the name matches no actor. */
  readonly resolve: (name: string) => Promise<Address | undefined>;
}

export type Applied =
  | { readonly ok: true; readonly id: number; readonly rules: number; readonly endsInMs: number }
  | { readonly ok: false; readonly problems: readonly FaultProblem[] };

/** An applied plan and its progress. */
export interface AppliedPlan {
  readonly id: number;
  readonly seed: number;
  readonly appliedMs: number;
  readonly endsInMs: number;
  readonly blastRadius: FaultPlan['blastRadius'];
  readonly actors: number;
  readonly threads: number;
  readonly rules: readonly (FaultRule & RuleCounts)[];
}

interface Entry {
  readonly order: FaultOrder;
  readonly disarm: (() => void)[];
}

/** Keeps the plans applied to the agent: accepts them, ends them on time, and reports their effects. */
export class FaultRegistry {
  readonly #options: FaultRegistryOptions;
  #entries: readonly Entry[] = [];
  #lastId = 0;
  /** Changes go to the threads one after the other. Otherwise an earlier change could arrive last. */
  #distributed: Promise<void> = Promise.resolve();

  constructor(options: FaultRegistryOptions) {
    this.#options = options;
  }

  /** Reads a plan and applies it, beside the plans already applied. A plan with a problem is rejected whole. */
  async apply(text: string): Promise<Applied> {
    const { clock, world, log } = this.#options;
    const read = readFaultPlan(text, world);
    if (!read.ok) return read;
    const problems: FaultProblem[] = [];
    const rules = await Promise.all(read.plan.rules.map((rule, index) => this.#resolved(rule, index + 1, problems)));
    if (problems.length > 0) return { ok: false, problems };
    const plan = { ...read.plan, rules };
    const order: FaultOrder = {
      id: ++this.#lastId,
      plan,
      appliedAt: clock.monotonic(),
      counts: countsMemory(plan),
      threads: world.threads,
    };
    const endsInMs = endsAt(order) - order.appliedAt;
    const disarm = [clock.after(endsInMs, () => void this.clear(order.id, 'its time is over'))];
    this.#entries = [...this.#entries, { order, disarm }];
    log.warn({ plan: order.id, ...plan }, 'fault plan applied');
    await this.#distribute();
    for (const [index, rule] of rules.entries()) this.#armCrashes({ order, disarm }, rule, index);
    return { ok: true, id: order.id, rules: rules.length, endsInMs };
  }

  list(): readonly AppliedPlan[] {
    const now = this.#options.clock.monotonic();
    return this.#entries.map(({ order }) => {
      const { rules, actors, threads } = new FaultCounts(order.counts).figures();
      const { seed, blastRadius } = order.plan;
      return {
        id: order.id,
        seed,
        appliedMs: now - order.appliedAt,
        endsInMs: Math.max(0, endsAt(order) - now),
        blastRadius,
        actors,
        threads,
        rules: order.plan.rules.map((rule, index) => ({ ...rule, ...(rules[index] ?? { matched: 0, acted: 0 }) })),
      };
    });
  }

  /**
   * Removes one plan, or all. Messages and calls that a plan holds back continue. Resolves with the number of removed
   * plans.
   */
  async clear(id?: number, why = 'it was cleared'): Promise<number> {
    const ending = this.#entries.filter(({ order }) => id === undefined || order.id === id);
    if (ending.length === 0) return 0;
    this.#entries = this.#entries.filter((entry) => !ending.includes(entry));
    for (const { order, disarm } of ending) {
      for (const stop of disarm) stop();
      const { rules, actors, threads } = new FaultCounts(order.counts).figures();
      this.#options.log.warn({ plan: order.id, rules, actors, threads }, `fault plan ended: ${why}`);
    }
    await this.#distribute();
    return ending.length;
  }

  #distribute(): Promise<void> {
    const orders = this.#entries.map(({ order }) => order);
    this.#distributed = this.#distributed.then(() => this.#options.distribute(orders));
    return this.#distributed;
  }

  /** Returns the rule with addresses in place of all names of actors. */
  async #resolved(rule: FaultRule, number: number, problems: FaultProblem[]): Promise<FaultRule> {
    const { match } = rule;
    if ((match.at !== 'mailbox' && match.at !== 'link') || match.actor === undefined) return rule;
    const names = typeof match.actor === 'string' ? [match.actor] : match.actor;
    const addresses = await Promise.all(names.map(async (name) => (isName(name) ? this.#options.resolve(name) : name)));
    for (const [index, address] of addresses.entries()) {
      if (address !== undefined) continue;
      const value = JSON.stringify(names[index]);
      problems.push({ rule: number, path: 'match.actor', value, says: 'names no pod of this node' });
    }
    return { ...rule, match: { ...match, actor: addresses.filter((address) => address !== undefined) } };
  }

  /** Crashes at a set time, without a message, start here: only this thread knows all living actors. */
  #armCrashes({ order, disarm }: Entry, rule: FaultRule, index: number): void {
    const { match, when, action } = rule;
    if (when.atMs === undefined || match.at !== 'mailbox' || action.type !== 'crash') return;
    const crash = async (): Promise<void> => {
      const fits = addressPattern(match.actor ?? '*');
      const living = (await this.#options.addresses()).filter((address) => fits(address));
      const counts = new FaultCounts(order.counts);
      for (const address of shuffled(living.toSorted(), seededRandom(order.plan.seed + index))) {
        counts.match(index);
        if (!counts.takeAct(index, when.atMost ?? Infinity)) continue;
        if (!counts.takeActor(order.plan.blastRadius)) {
          counts.giveActBack(index);
          continue;
        }
        const found = await this.#options.crashActor(address, action.reason ?? ON_PURPOSE);
        if (!found) counts.giveActBack(index);
      }
    };
    const leftMs = Math.max(0, elapsedMs(this.#options.clock.monotonic(), later(order.appliedAt, when.atMs)));
    const failed = (reason: unknown): void =>
      this.#options.log.error({ plan: order.id, err: String(reason) }, 'fault plan could not crash its actors');
    disarm.push(this.#options.clock.after(leftMs, () => void crash().catch(failed)));
  }
}

/** A name is `kind/namespace/name`: an ID has no slash. */
const isName = (actor: string): boolean => actor.split('/').length > 2 && !actor.includes('*');

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}
