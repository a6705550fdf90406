import type { Worker } from 'node:worker_threads';
import { actorKind, type Actor, type ActorContext, type ActorKind } from '../actor/actor.ts';
import type { LiveThread } from '../actor/threads/live-thread.ts';
import type { Log } from '../actor/log.ts';
import type { Address, Protocol } from '../actor/messages/message.ts';
import type { ThreadFaults } from '../faults/thread-faults.ts';
import type { MetricFamilies } from '../metrics/metric-families.ts';
import type { NodeFacts } from '../node/object/node-facts.ts';
import type { AgentSettings } from './settings.ts';
import type { Tree } from './tree.ts';

/** What every thread of the agent is given. */
export interface ThreadConfig {
  readonly settings: AgentSettings;
  readonly node: NodeFacts;
}

/** Threads beside those of the tree, which an actor on the main thread starts and ends as it needs them. */
export interface HelperThreads {
  /** The threads that live now, each with a name for people. */
  threads(): readonly (readonly [name: string, thread: Worker])[];
  close(): Promise<void>;
}

/** The threads of the agent, as the main thread reaches them. */
export interface ThreadsOfAgent {
  metrics(): Promise<string>;
  /** Without the main thread. */
  threadNames(): readonly string[];
  thread(name: string): Pick<LiveThread<unknown>, 'call'> | undefined;
  /** Counts the memory of these threads as the agent's, and ends them with it. */
  watch(helpers: HelperThreads): void;
  /** All threads, the main one included, log so much from now on, as `--v`. */
  setVerbosity(verbosity: number): Promise<void>;
}

/** What the actors of one thread are made with. */
export interface KindEnvironment extends ThreadConfig {
  readonly tree: Tree;
  /** The faults to inject on this thread. `undefined` when fault injection is not enabled. */
  readonly faults: ThreadFaults | undefined;
  readonly log: Log;
  readonly metrics: MetricFamilies;
  /** `undefined` on every thread but the main one. */
  readonly threads?: ThreadsOfAgent;
}

/** One key for every type of message of a protocol: one more or one less does not compile. */
export type TypesOf<P extends Protocol> = Readonly<Record<P['command']['type'] | P['question']['type'], true>>;

/** A kind of actor of the agent: where it lives, what it stands on, and how it is made. */
export interface AgentKind {
  /** Its thread in the profile `standard`; a pod thread is `pods`. */
  readonly livesOn: string;
  /** The actors that are started before it, because it asks them. */
  readonly standsOn: readonly Address[];
  /** The types of messages it can receive, for fault plans that name one. */
  readonly messageTypes: readonly string[];
  /** Makes what lasts over incarnations, once for each thread. */
  readonly make: (environment: KindEnvironment) => Promise<ActorKind>;
}

type MakeActor<P extends Protocol> = (context: ActorContext<P>, init: never) => Actor<P>;

/** A kind in the types of its own protocol. */
export interface KindSpec<P extends Protocol> {
  readonly livesOn: string;
  readonly standsOn: readonly Address[];
  readonly messageTypes: TypesOf<P>;
  /** How many messages may wait; later ones are refused and counted. */
  readonly mailbox: number;
  /** What a message is about, in a word or two, where its type alone does not say it in a trace. */
  readonly about?: (message: P['command'] | P['question']) => string | undefined;
  /** Returns what makes one incarnation. What is made outside of it lasts over incarnations. */
  readonly make: (environment: KindEnvironment) => MakeActor<P> | Promise<MakeActor<P>>;
}

export const agentKind = <P extends Protocol>(spec: KindSpec<P>): AgentKind => ({
  livesOn: spec.livesOn,
  standsOn: spec.standsOn,
  messageTypes: Object.keys(spec.messageTypes),
  make: async (environment) =>
    actorKind<P>({
      mailbox: { capacity: spec.mailbox },
      make: await spec.make(environment),
      ...(spec.about !== undefined && { about: spec.about }),
    }),
});

/** Room for a burst in which every pod of a full node causes a message. */
export const LARGE_MAILBOX = 100_000;
/** Room for what one pod, or one duty of the node, causes. */
export const SMALL_MAILBOX = 1_000;
