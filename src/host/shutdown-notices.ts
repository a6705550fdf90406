/** What the machine's init system says of an imminent shutdown, and what may be asked of it. */
export interface ShutdownNotices {
  /** For how long a shutdown can be held back at most, in milliseconds. Rejects when there is nobody to ask. */
  delayLimitMs(): Promise<number>;
  /** Asks for another limit, for good. It has been heard when `delayLimitMs` says so. */
  raiseDelayLimit(seconds: number): Promise<void>;
  /** Whether a shutdown is under way. */
  isShuttingDown(): Promise<boolean>;
  /** Holds back every shutdown from now on, as long as the limit allows, until the lock is released or this process has ended. */
  holdBack(): Promise<ShutdownLock>;
  /** Tells of each announced shutdown (`true`) and of each that was called off (`false`). The returned function ends that. */
  watch(listener: ShutdownListener): () => void;
}

export interface ShutdownLock {
  release(): void;
}

export interface ShutdownListener {
  announced(shuttingDown: boolean): void;
  /** Nothing is told any more. */
  lost(detail: string): void;
}
