import { MetricFamilies } from '../actor/metric-families.ts';
import type { Registry } from '../kube/prometheus.ts';
import type { ActorKind, MailboxPolicy } from '../actor/actor.ts';
import type { Log } from '../actor/log.ts';
import type { AgentSettings } from './agent.ts';
import type { ThreadFaults } from '../faults/thread-faults.ts';
import type { NodeFacts } from '../node/node-facts.ts';

/** What every thread of the agent is given. */
export interface ThreadConfig {
  readonly settings: AgentSettings;
  readonly node: NodeFacts;
}

/** What the actors of one thread are made with. */
export interface KindConfig extends ThreadConfig {
  /** What may go wrong on purpose here; undefined in an agent to which nothing may be done. */
  readonly faults: ThreadFaults | undefined;
  readonly log: Log;
}

/** Makes one kind of actor. Only a thread where such actors live loads their code: that is most of what a thread weighs. */
export type LoadKind = (config: KindConfig, metrics: ThreadMetrics) => Promise<ActorKind>;

/** A thread's metrics. The library is loaded by the first actor that counts with it; the families weigh nothing. */
export class ThreadMetrics {
  readonly families = new MetricFamilies();
  #registry: Registry | undefined;

  async registry(): Promise<Registry> {
    if (this.#registry === undefined) {
      const { newRegistry } = await import('../kube/prometheus.ts');
      this.#registry ??= newRegistry();
    }
    return this.#registry;
  }

  async text(): Promise<string> {
    const ofRegistry = this.#registry === undefined ? '' : await this.#registry.metrics();
    return this.families.text() + ofRegistry;
  }
}

/** Room for a burst in which every pod of a full node has something to say. */
export const largeMailbox: MailboxPolicy = { capacity: 100_000 };
/** A pod's own: whatever comes in such numbers is not about its pod any more. */
export const podMailbox: MailboxPolicy = { capacity: 1_000 };
