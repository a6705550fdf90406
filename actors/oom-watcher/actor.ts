import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { KernelLog } from '../../src/host/kernel-log.ts';
import type { OomWatcherProtocol } from './protocol.ts';
import { isSystemOom, killsBetween, oomKillOf, systemOomMessage, type OomCounts } from './state.ts';

export interface OomWatcherDeps {
  /** Opens the kernel log at its end. `undefined` when this process may not read it. */
  readonly openKernelLog: () => KernelLog | undefined;
  /** `undefined` when the kernel does not count OOM kills. */
  readonly readCounts: () => OomCounts | undefined;
  /** The cgroup of all pods. */
  readonly podsCgroup: string;
  readonly nodeEvent: (event: { readonly reason: 'SystemOOM'; readonly message: string }) => void;
}

const READ_EVERY_MS = 2_000;
/** Records read in one turn; the rest is read in the next turn. */
const RECORDS_A_TURN = 500;

/** Records events for processes that the kernel killed because the machine ran out of memory. */
export class OomWatcher implements Actor<OomWatcherProtocol> {
  readonly #context: ActorContext<OomWatcherProtocol>;
  readonly #deps: OomWatcherDeps;
  #log: KernelLog | undefined;
  #counts: OomCounts | undefined;

  constructor(context: ActorContext<OomWatcherProtocol>, deps: OomWatcherDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  start(): void {
    this.#log = this.#deps.openKernelLog();
    if (this.#log === undefined) {
      this.#counts = this.#deps.readCounts();
      const what = this.#counts === undefined ? 'no SystemOOM events' : 'SystemOOM events without process names';
      this.#context.log.info({}, `the kernel log cannot be read: this node records ${what}`);
      if (this.#counts === undefined) return;
    }
    this.#readLater(READ_EVERY_MS);
  }

  tell(): void {
    this.#readLater(this.#log === undefined ? this.#count() : this.#read(this.#log));
  }

  stop(): void {
    this.#log?.close();
  }

  #readLater(delayMs: number): void {
    this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'read-due' }));
  }

  /** Returns the wait before the next read, in milliseconds. */
  #read(log: KernelLog): number {
    for (let read = 0; read < RECORDS_A_TURN; read += 1) {
      const record = log.next();
      if (record === undefined) return READ_EVERY_MS;
      const kill = oomKillOf(record);
      if (kill !== undefined && isSystemOom(kill, this.#deps.podsCgroup)) {
        this.#deps.nodeEvent({ reason: 'SystemOOM', message: systemOomMessage(kill) });
      }
    }
    return 1;
  }

  #count(): number {
    const counts = this.#deps.readCounts();
    if (counts === undefined) return READ_EVERY_MS;
    if (this.#counts !== undefined && killsBetween(this.#counts, counts) > 0) {
      this.#deps.nodeEvent({ reason: 'SystemOOM', message: 'System OOM encountered' });
    }
    this.#counts = counts;
    return READ_EVERY_MS;
  }
}
