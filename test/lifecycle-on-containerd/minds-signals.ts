import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Whether a container's process has said what TERM is to do, or is gone. Until its shell has come to that the kernel withholds
 * the signal from a container's first process, which then ends by force: recorded containers minded it from the start.
 * `status` is that of `/proc/<pid>/status`; undefined: there is no such process.
 */
export function mindsTerm(status: string | undefined): boolean {
  if (status === undefined || /^State:\s+[ZX]/m.test(status)) return true;
  // Who is to become the container's process catches all signals for himself.
  if (/^Name:\s+runc/m.test(status)) return false;
  const mask = ['SigCgt', 'SigIgn'].map((name) => new RegExp(`^${name}:\\s+([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0');
  return mask.some((bits) => ((BigInt(`0x${bits}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n);
}

/** Resolves when it does, or after five seconds. */
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
