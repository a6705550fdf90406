import type { Clock } from '../../actor/clock.ts';
import type { ContainerEventType } from '../../cri/gen/api.ts';
import type { EventFeed } from './inventory/event-feed.ts';
import type { IdSource } from './inventory/ids.ts';
import type { ImageStore } from './inventory/image-store.ts';
import type { Inventory } from './inventory/inventory.ts';
import { containerStatusMessage, sandboxStatusMessage } from './calls/messages.ts';
import type { Answer, Outcome, TermReaction } from './script/outcome.ts';
import type { OutcomeCounters } from './script/outcomes.ts';
import type { ContainerRecord, SandboxRecord } from './inventory/records.ts';
import { RuntimeError } from './runtime-error.ts';
import type { RuntimeFiles } from './inventory/runtime-files.ts';
import type { Outcomes, Script } from './script/script.ts';

/** Default durations of each step, in milliseconds. */
export interface Latencies {
  readonly sandboxMs: number;
  readonly createMs: number;
  readonly startMs: number;
  /** From TERM to the exit. */
  readonly stopMs: number;
  readonly pullMs: number;
}

export const DEFAULT_LATENCIES: Latencies = { sandboxMs: 10, createMs: 5, startMs: 5, stopMs: 20, pullMs: 20 };

const SIGTERM_EXIT = 143;

const okAfter = (delayMs: number): Outcomes<Answer> => [{ action: 'ok', delayMs, text: '' }];

/** Outcomes where the script has no rule. */
export interface DefaultOutcomes {
  readonly sandbox: Outcomes<Answer>;
  readonly create: Outcomes<Answer>;
  readonly start: Outcomes<Answer>;
  readonly stop: Outcomes<TermReaction>;
  readonly pull: Outcomes<Answer>;
  readonly update: Outcomes<Answer>;
}

export const defaultOutcomes = (latencies: Latencies): DefaultOutcomes => ({
  sandbox: okAfter(latencies.sandboxMs),
  create: okAfter(latencies.createMs),
  start: okAfter(latencies.startMs),
  stop: [{ action: SIGTERM_EXIT, delayMs: latencies.stopMs, text: '' }],
  pull: okAfter(latencies.pullMs),
  update: okAfter(0),
});

/** A clock that goes back by more than this counts as set. */
const SET_BACK = 1_000_000_000n;

/**
 * Returns strictly growing nanoseconds since the epoch, so that the order of events is also the sort order. A clock
 * that is set back is followed, as by any runtime.
 */
export function strictlyGrowingNanoseconds(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = BigInt(Math.floor(clock.now())) * 1_000_000n;
    last = now > last || last - now > SET_BACK ? now : last + 1n;
    return last;
  };
}

/** Dependencies and shared state of the runtime's parts. */
export interface RuntimeContext {
  readonly clock: Clock;
  readonly nextId: IdSource;
  readonly nanoseconds: () => bigint;
  readonly files: RuntimeFiles;
  /** The script can be extended while the runtime runs. */
  readonly script: () => Script;
  readonly defaults: DefaultOutcomes;
  readonly counters: OutcomeCounters;
  readonly inventory: Inventory;
  readonly images: ImageStore;
  readonly events: EventFeed;
  readonly handlers: readonly RuntimeHandler[];
}

/** A runtime handler and its features. */
export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** Reports an event of a container, or of a sandbox itself (`id`), with the state of the whole pod. */
export function announce(
  context: RuntimeContext,
  type: ContainerEventType,
  about: SandboxRecord | ContainerRecord,
): void {
  const sandbox = 'sandbox' in about ? about.sandbox : about;
  context.events.announce(() => ({
    containerId: about.id,
    containerEventType: type,
    createdAt: context.nanoseconds(),
    podSandboxStatus: sandboxStatusMessage(sandbox),
    containersStatuses: [...sandbox.containers.values()].map(containerStatusMessage),
  }));
}

/** Returns the error of a scripted `err`: Unknown, unless the script names another code. */
export const scriptedError = (outcome: Outcome): RuntimeError =>
  new RuntimeError(outcome.code ?? 'Unknown', outcome.text);

export const cancelled = (what: string): RuntimeError => new RuntimeError('Cancelled', `${what}: context canceled`);
