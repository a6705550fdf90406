import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `true` if a container's process handles TERM, or is gone. Before its shell sets a trap, the kernel withholds
 * the signal from a container's first process, which is then killed. Recorded containers handled TERM from the start.
 * `status` is the text of `/proc/<pid>/status`; `undefined` when there is no such process.
 */
export function mindsTerm(status: string | undefined): boolean {
  if (status === undefined || /^State:\s+[ZX]/m.test(status)) return true;
  // The runtime's init process catches all signals itself.
  if (/^Name:\s+runc/m.test(status)) return false;
  const mask = ['SigCgt', 'SigIgn'].map((name) => new RegExp(`^${name}:\\s+([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0');
  return mask.some((bits) => ((BigInt(`0x${bits}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n);
}

/** Resolves when the process handles TERM, or after five seconds. */
export async function untilItMindsTerm(pid: number): Promise<void> {
  for (let tries = 0; tries < 500 && !mindsTerm(statusOf(pid)); tries++) await delay(10);
}

function statusOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
}
