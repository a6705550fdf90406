import type { ResourceLimits } from 'node:worker_threads';
import type { FlightEntry } from '../insight/flight-recorder.ts';
import type { FrameChannel } from '../messages/link.ts';
import type { ThreadControl, ThreadEvents, ThreadStart } from './thread-control.ts';

/** A thread's control plane, from outside. Its answers are asynchronous. */
export type RemoteControl = {
  readonly [Call in keyof ThreadControl]: (
    ...args: Parameters<ThreadControl[Call]>
  ) => Promise<Awaited<ReturnType<ThreadControl[Call]>>>;
};

/** One life of a thread, as the root supervisor sees it. `Port` is the end of a channel before it is passed on. */
export interface LiveThread<Port> {
  readonly name: string;
  readonly life: number;
  /** `true` once the thread has ended and this side knows it. */
  readonly over: boolean;
  /** Resolves with the reason once the thread has ended, in any way. Never rejects. */
  readonly ended: Promise<string>;
  /**
   * Returns the memory of its heap and its buffers. Answers also while the thread computes. Rejects when the thread has
   * ended.
   */
  memory(): Promise<{ readonly heapUsedBytes: number; readonly externalBytes: number }>;
  /** Makes a call into the thread. Rejects as soon as the thread has ended. */
  call<T>(make: (control: RemoteControl) => Promise<T>): Promise<T>;
  /** Gives the thread its end of a link to `peer`. The end must be fresh. */
  connect(peer: string, port: Port): Promise<void>;
  /**
   * Returns the last messages its actors have read, oldest first. Works also after the thread has died of any cause.
   */
  flight(atMost?: number): readonly FlightEntry[];
  /** Idempotent. `first` runs before the end: it closes links, because messages in them would keep their memory. */
  terminate(first?: () => Promise<void>): Promise<void>;
}

/** Makes threads: worker threads in the agent, simulated ones in a simulation. */
export interface ThreadMaker<Port> {
  start(start: Omit<ThreadStart, 'flight'>, limits: ResourceLimits, events: ThreadEvents): LiveThread<Port>;
  /** Returns a fresh channel between two living threads, by their names. */
  channel(one: string, other: string): readonly [one: Port, other: Port];
  /** Returns the end of a channel in the form that the main thread uses. */
  use(port: Port): FrameChannel;
}
