import type { Duplex } from 'node:stream';
import { elapsedMs, type Clock } from '../../actor/clock.ts';

export interface JoinOptions {
  readonly clock: Clock;
  /** Both ends are closed after this long without a byte in either direction. 0: never. */
  readonly idleMs: number;
}

/** How long the last bytes of a closed side may take to be delivered. */
const LINGER_MS = 10_000;

/**
 * Copies bytes in both directions until both have ended. Slows down a side that writes faster than the other reads.
 * When one side ends its direction, the other direction stays open. When one side is gone or breaks, the other
 * first gets the bytes in flight and is then closed. Resolves when both are gone.
 */
export function joinStreams(one: Duplex, other: Duplex, { clock, idleMs }: JoinOptions): Promise<void> {
  return new Promise((resolve) => {
    let lastByteAt = clock.monotonic();
    let stopIdle = (): void => {};
    let stopLingering = (): void => {};
    let gone = 0;
    const endBoth = (): void => {
      one.destroy();
      other.destroy();
    };
    const lookIdle = (): void => {
      const silentMs = elapsedMs(lastByteAt, clock.monotonic());
      if (silentMs >= idleMs) endBoth();
      else stopIdle = clock.after(idleMs - silentMs, lookIdle);
    };
    if (idleMs > 0) stopIdle = clock.after(idleMs, lookIdle);
    const sawByte = (): void => void (lastByteAt = clock.monotonic());
    const follow = (from: Duplex, to: Duplex): void => {
      from.on('data', sawByte);
      from.pipe(to);
      // An error without a listener would end the thread; `close` reports that the stream is gone.
      from.on('error', () => {});
      const left = (): void => {
        gone++;
        if (gone === 2) {
          stopIdle();
          stopLingering();
          return resolve();
        }
        if (to.destroyed) return;
        stopLingering = clock.after(LINGER_MS, () => to.destroy());
        to.end(() => to.destroy());
      };
      if (from.closed) left();
      else from.once('close', left);
    };
    follow(one, other);
    follow(other, one);
  });
}
