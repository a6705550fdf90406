import type { Pass, PassOutcome } from './protocol.ts';

/** The interval of each kind of pass, and the delay before its first pass. */
export const passTimes: Readonly<Record<Pass, { readonly firstMs: number; readonly everyMs: number }>> = {
  containers: { firstMs: 20_000, everyMs: 60_000 },
  images: { firstMs: 10_000, everyMs: 300_000 },
  directories: { firstMs: 15_000, everyMs: 30_000 },
};

/** A pass that stopped at its limit continues after this time. */
const GO_ON_MS = 5_000;

/** Record of the passes of one kind. */
export interface PassHistory {
  /** Number of consecutive failures. */
  readonly failures: number;
}

export const noHistory: PassHistory = { failures: 0 };

export interface PassVerdict {
  readonly next: PassHistory;
  readonly againInMs: number;
  /** Event about the node, if due. */
  readonly event: { readonly reason: 'ContainerGCFailed' | 'ImageGCFailed'; readonly message: string } | undefined;
}

/**
 * Decides what follows the end of a pass. A failed image pass is reported as an event only from its second failure in a
 * row: right after a start the runtime may not know its own file system yet.
 */
export function afterPass(pass: Pass, outcome: PassOutcome, before: PassHistory): PassVerdict {
  const { everyMs } = passTimes[pass];
  if (outcome.ok) {
    return { next: noHistory, againInMs: outcome.more ? GO_ON_MS : everyMs, event: undefined };
  }
  const { problem: message } = outcome;
  const next: PassHistory = { failures: before.failures + 1 };
  return { next, againInMs: everyMs, event: eventOf(pass, next.failures, message) };
}

function eventOf(pass: Pass, failures: number, message: string): PassVerdict['event'] {
  if (pass === 'containers') return { reason: 'ContainerGCFailed', message };
  return pass === 'images' && failures > 1 ? { reason: 'ImageGCFailed', message } : undefined;
}
