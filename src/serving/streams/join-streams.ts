import type { Duplex } from 'node:stream';
import type { Clock } from '../../actor/clock.ts';

export interface JoinOptions {
  readonly clock: Clock;
  /** Both ends are closed after so long without a byte in either direction. 0: never. */
  readonly idleMs: number;
}

/** What one side has said last may take so long to be taken by the other when the first is gone. */
const LINGER_MS = 10_000;

/**
 * Hands bytes over in both directions until both have ended. Holds back a side that writes faster than the other reads. A side
 * that ends its direction leaves the other one open; one that is gone, or breaks, takes the other with it, which first gets what
 * was on its way to it. Resolves when both are gone.
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
      const silentMs = clock.monotonic() - lastByteAt;
      if (silentMs >= idleMs) endBoth();
      else stopIdle = clock.after(idleMs - silentMs, lookIdle);
    };
    if (idleMs > 0) stopIdle = clock.after(idleMs, lookIdle);
    const sawByte = (): void => void (lastByteAt = clock.monotonic());
    const follow = (from: Duplex, to: Duplex): void => {
      from.on('data', sawByte);
      from.pipe(to);
      // Without a listener an error would end the thread; that the stream is gone is told by its close.
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
