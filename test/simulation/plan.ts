import type { Profile } from '../../src/agent/settings.ts';
import type { FaultPlan } from '../../src/faults/fault-plan.ts';
import type { CriMethodName } from '../../src/cri/methods.ts';

/** An actor by its address, or the worker of the pod that a slot holds at that time (`slot/7`). */
export type ActorChoice = string;

/** A change of the manifests. A slot is one file; its pod changes with its content. */
export type Change =
  | { readonly do: 'write'; readonly slot: number; readonly shape: string; readonly revision: number }
  /** A file without a valid Pod, as after a partial write of an editor. */
  | { readonly do: 'break'; readonly slot: number }
  | { readonly do: 'remove'; readonly slot: number };

/** A fault. Durations are in milliseconds. */
export type Fault =
  | { readonly do: 'throw'; readonly actor: ActorChoice }
  | {
      readonly do: 'throw-at-message';
      readonly actor: ActorChoice;
      readonly message: number;
      readonly moment: 'before' | 'after';
    }
  /** The number of its next starts that fail. */
  | { readonly do: 'fail-starts'; readonly actor: ActorChoice; readonly starts: number }
  | { readonly do: 'exit-thread'; readonly thread: string }
  | { readonly do: 'hang-thread'; readonly thread: string; readonly forMs: number }
  | { readonly do: 'kill-agent'; readonly downMs: number }
  | { readonly do: 'runtime-outage'; readonly forMs: number }
  | { readonly do: 'cut-streams' }
  /** A process outside the pods uses nearly all of the resource. */
  | { readonly do: 'run-short'; readonly of: 'memory' | 'disk'; readonly forMs: number }
  | {
      readonly do: 'failing-calls';
      readonly method: CriMethodName | '*';
      readonly how: 'before' | 'after' | 'lost';
      readonly rate: number;
      readonly forMs: number;
    }
  | { readonly do: 'slow-calls'; readonly typicalMs: number; readonly forMs: number }
  | {
      readonly do: 'bad-events';
      readonly lost: number;
      readonly doubled: number;
      readonly delayMs: number;
      readonly forMs: number;
    }
  | { readonly do: 'slow-links'; readonly typicalMs: number; readonly forMs: number }
  /** Messages to an actor, or to all of a kind, are lost or late, at most `atMost` of them. */
  | {
      readonly do: 'bad-messages';
      readonly actor: ActorChoice;
      readonly at: 'mailbox' | 'link';
      readonly how: 'drop' | 'delay' | 'duplicate' | 'reorder';
      readonly rate: number;
      readonly delayMs: number;
      readonly atMost: number;
      readonly forMs: number;
    }
  | { readonly do: 'no-watch'; readonly forMs: number }
  | { readonly do: 'lose-job' }
  /** Sets the machine's clock, forward or back. */
  | { readonly do: 'step-clock'; readonly byMs: number }
  /** Applies a fault plan as `hivelet fault apply` does. The plan ends with the faults of the cycle at the latest. */
  | { readonly do: 'apply-fault-plan'; readonly plan: FaultPlan }
  | { readonly do: 'exit-container'; readonly slot: number; readonly code: number }
  | { readonly do: 'vanish-container'; readonly slot: number }
  | { readonly do: 'die-sandbox'; readonly slot: number }
  | { readonly do: 'vanish-sandbox'; readonly slot: number };

/** Steps that check the node as a whole. */
export type Check =
  /** Repairs all broken files, and ends all faults until further notice. */
  | { readonly do: 'calm-down' }
  | { readonly do: 'check-convergence' }
  /** One crash in a quiet time, which must have no effect on pods. */
  | { readonly do: 'crash-quietly'; readonly what: Extract<Fault, { do: 'throw' | 'exit-thread' | 'kill-agent' }> }
  | { readonly do: 'check-unchanged' }
  | { readonly do: 'remove-all' }
  | { readonly do: 'check-nothing-left' };

export type Event = Change | Fault | Check;
export interface PlanStep {
  readonly at: number;
  readonly event: Event;
}

/** One history as plain data, which can be printed, shrunk and played again. */
export interface Plan {
  readonly seed: number;
  readonly pods: number;
  readonly endsAt: number;
  /** The thread profile of the agent; `standard` by default. */
  readonly profile?: Profile;
  readonly steps: readonly PlanStep[];
}

const changes = new Set<Event['do']>(['write', 'break', 'remove']);
const checks = new Set<Event['do']>([
  'calm-down',
  'check-convergence',
  'crash-quietly',
  'check-unchanged',
  'remove-all',
  'check-nothing-left',
]);

export const isFault = ({ event }: PlanStep): boolean => !changes.has(event.do) && !checks.has(event.do);

export const slotOf = ({ event }: PlanStep): number | undefined => {
  if ('slot' in event) return event.slot;
  const actor = 'actor' in event ? event.actor : undefined;
  return actor?.startsWith('slot/') === true ? Number(actor.slice('slot/'.length)) : undefined;
};
