import type { Pass, PassOutcome } from './protocol.ts';

/** How often each kind of garbage is looked for, and how long after the start for the first time. */
export const passTimes: Readonly<Record<Pass, { readonly firstMs: number; readonly everyMs: number }>> = {
  containers: { firstMs: 20_000, everyMs: 60_000 },
  images: { firstMs: 10_000, everyMs: 300_000 },
  directories: { firstMs: 15_000, everyMs: 30_000 },
};

/** A pass that had to stop before its end goes on soon. */
const GO_ON_MS = 5_000;

/** How a kind of pass has gone so far. */
export interface PassHistory {
  /** How many in a row have failed. */
  readonly failures: number;
  /** What the last one failed of: the same need not be said again. */
  readonly problem: string | undefined;
}

export const noHistory: PassHistory = { failures: 0, problem: undefined };

export interface PassVerdict {
  readonly next: PassHistory;
  readonly againInMs: number;
  /** Worth a line in the log. */
  readonly warning: string | undefined;
  /** For the node's events. */
  readonly event: { readonly reason: 'ContainerGCFailed' | 'ImageGCFailed'; readonly message: string } | undefined;
}

/**
 * What is to be made of the end of a pass. That images could not be collected is only told when it happens twice: right after a
 * start the runtime may not know its own file system yet.
 */
export function afterPass(pass: Pass, outcome: PassOutcome, before: PassHistory): PassVerdict {
  const { everyMs } = passTimes[pass];
  if (outcome.ok) {
    return { next: noHistory, againInMs: outcome.more ? GO_ON_MS : everyMs, warning: undefined, event: undefined };
  }
  const { problem: message } = outcome;
  const next: PassHistory = { failures: before.failures + 1, problem: message };
  const warning = before.problem === message ? undefined : message;
  return { next, againInMs: everyMs, warning, event: eventOf(pass, next.failures, message) };
}

function eventOf(pass: Pass, failures: number, message: string): PassVerdict['event'] {
  if (pass === 'containers') return { reason: 'ContainerGCFailed', message };
  return pass === 'images' && failures > 1 ? { reason: 'ImageGCFailed', message } : undefined;
}
