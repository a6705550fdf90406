import type { Clock } from '../../src/actor/clock.ts';
import type { ShutdownLock, ShutdownNotices } from '../../src/host/shutdown-notices.ts';

/** The lock that delays every shutdown, if the agent holds one. */
export interface HeldLock {
  current: ShutdownLock | undefined;
}

export type Armed =
  { readonly ok: true; readonly shuttingDown: boolean } | { readonly ok: false; readonly detail: string };

export interface Arming {
  readonly neededSeconds: number;
  readonly clock: Clock;
  readonly held: HeldLock;
}

const LOOKS = 5;
const FIRST_WAIT_MS = 100;

/**
 * Makes every shutdown wait for as long as the pods may need, and raises the machine's limit if necessary. Never
 * rejects.
 */
export async function acquireShutdownLock(notices: ShutdownNotices, arming: Arming): Promise<Armed> {
  const { neededSeconds, held } = arming;
  try {
    // No lock can be acquired during a shutdown; a lock from before may still be held.
    if (await notices.isShuttingDown()) return { ok: true, shuttingDown: true };
    const limitMs = await limitRaised(notices, arming);
    if (limitMs < neededSeconds * 1000) {
      const detail = `systemd-logind delays a shutdown by at most ${limitMs / 1000} s, but pods may need ${neededSeconds} s`;
      return { ok: false, detail };
    }
    const lock = await notices.holdBack();
    releaseLock(held);
    held.current = lock;
    return { ok: true, shuttingDown: await notices.isShuttingDown() };
  } catch (error) {
    return { ok: false, detail: `systemd-logind does not answer (${String(error).split('\n')[0]})` };
  }
}

async function limitRaised(notices: ShutdownNotices, { neededSeconds, clock }: Arming): Promise<number> {
  let limitMs = await notices.delayLimitMs();
  if (limitMs >= neededSeconds * 1000) return limitMs;
  await notices.raiseDelayLimit(neededSeconds);
  for (let look = 0; look < LOOKS && limitMs < neededSeconds * 1000; look += 1) {
    await new Promise<void>((resolve) => void clock.after(FIRST_WAIT_MS * 2 ** look, resolve));
    limitMs = await notices.delayLimitMs();
  }
  return limitMs;
}

export function releaseLock(held: HeldLock): void {
  held.current?.release();
  held.current = undefined;
}
