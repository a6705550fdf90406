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

/** The configuration that every thread of the agent gets. */
export interface ThreadConfig {
  readonly settings: AgentSettings;
  readonly node: NodeFacts;
}

/** Threads beside the threads of the tree. An actor on the main thread starts and ends them as needed. */
export interface HelperThreads {
  /** Returns the living threads, each with a readable name. */
  threads(): readonly (readonly [name: string, thread: Worker])[];
  close(): Promise<void>;
  /** Resolves once the threads that were given up have ended: such a thread may wait for the kernel for ever. */
  ended(): Promise<void>;
}

/** The threads of the agent, as the main thread reaches them. */
export interface ThreadsOfAgent {
  metrics(): Promise<string>;
  /** The names of all threads except the main thread. */
  threadNames(): readonly string[];
  thread(name: string): Pick<LiveThread<unknown>, 'call'> | undefined;
  /** Counts the memory of these threads as the agent's, and ends them with the agent. */
  watch(helpers: HelperThreads): void;
  /** Sets the log verbosity of all threads, the main thread included, as `--v`. */
  setVerbosity(verbosity: number): Promise<void>;
}

/** The environment in which a thread's actors are made. */
export interface KindEnvironment extends ThreadConfig {
  readonly tree: Tree;
  /** The faults to inject on this thread. `undefined` when fault injection is not enabled. */
  readonly faults: ThreadFaults | undefined;
  readonly log: Log;
  readonly metrics: MetricFamilies;
  /** `undefined` on every thread but the main one. */
  readonly threads?: ThreadsOfAgent;
}

/** One key for every message type of a protocol: a missing or extra key does not compile. */
export type TypesOf<P extends Protocol> = Readonly<Record<P['command']['type'] | P['question']['type'], true>>;

/** A kind of actor of the agent: its thread, the actors it depends on, and how it is made. */
export interface AgentKind {
  /** Its thread in the profile `standard`; a pod thread is `pods`. */
  readonly runsOn: string;
  /** The actors that start before it, because it asks them. */
  readonly standsOn: readonly Address[];
  /** The types of messages it can receive, for fault plans that name one. */
  readonly messageTypes: readonly string[];
  /** Makes the parts that last over incarnations, once for each thread. */
  readonly make: (environment: KindEnvironment) => Promise<ActorKind>;
}

type MakeActor<P extends Protocol> = (context: ActorContext<P>, init: never) => Actor<P>;

/** A kind in the types of its own protocol. */
export interface KindSpec<P extends Protocol> {
  readonly runsOn: string;
  readonly standsOn: readonly Address[];
  readonly messageTypes: TypesOf<P>;
  /** How many messages may wait; later ones are refused and counted. */
  readonly mailbox: number;
  /** Returns the subject of a message in a word or two, for traces where the type alone does not name it. */
  readonly about?: (message: P['command'] | P['question']) => string | undefined;
  /** Returns a function that makes one incarnation. Values made outside that function last over incarnations. */
  readonly make: (environment: KindEnvironment) => MakeActor<P> | Promise<MakeActor<P>>;
}

export const agentKind = <P extends Protocol>(spec: KindSpec<P>): AgentKind => ({
  runsOn: spec.runsOn,
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
/** Room for the messages of one pod, or of one duty of the node. */
export const SMALL_MAILBOX = 1_000;
