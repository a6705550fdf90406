/** Notices of the machine's init system about an imminent shutdown, and requests to it. */
export interface ShutdownNotices {
  /**
   * Returns how long a shutdown can be delayed at most, in milliseconds. Rejects when there is no init system to ask.
   */
  delayLimitMs(): Promise<number>;
  /** Requests another limit, permanently. The request has taken effect when `delayLimitMs` returns it. */
  raiseDelayLimit(seconds: number): Promise<void>;
  /** `true` if a shutdown is in progress. */
  isShuttingDown(): Promise<boolean>;
  /**
   * Delays every shutdown from now on, as long as the limit allows. Ends when the lock is released or this process
   * ends.
   */
  holdBack(): Promise<ShutdownLock>;
  /**
   * Reports each announced shutdown (`true`) and each cancelled shutdown (`false`). The returned function ends the
   * watch.
   */
  watch(listener: ShutdownListener): () => void;
}

export interface ShutdownLock {
  release(): void;
}

export interface ShutdownListener {
  announced(shuttingDown: boolean): void;
  /** The watch was lost, so nothing is reported any more. */
  lost(detail: string): void;
}
