import type { ResourceLimits } from 'node:worker_threads';
import type { FlightEntry } from '../insight/flight-recorder.ts';
import type { FrameChannel } from '../messages/link.ts';
import type { ThreadControl, ThreadEvents, ThreadStart } from './thread-control.ts';

/** A thread's control plane, from outside: what it answers takes its time. */
export type RemoteControl = {
  readonly [Call in keyof ThreadControl]: (
    ...args: Parameters<ThreadControl[Call]>
  ) => Promise<Awaited<ReturnType<ThreadControl[Call]>>>;
};

/** One life of a thread, seen from the root supervisor. `Port`: what the end of a channel is before it is handed over. */
export interface LiveThread<Port> {
  readonly name: string;
  readonly life: number;
  /** It has ended, and this is known here. */
  readonly over: boolean;
  /** Resolves with the reason once it has ended, however it did. Never rejects. */
  readonly ended: Promise<string>;
  /** What its heap and its buffers occupy. Answers also while the thread computes; rejects when it has ended. */
  memory(): Promise<{ readonly heapUsedBytes: number; readonly externalBytes: number }>;
  /** A call into the thread. Rejects as soon as the thread has ended. */
  call<T>(make: (control: RemoteControl) => Promise<T>): Promise<T>;
  /** Hands the thread its end of a link to `peer`. Only ever a fresh one. */
  connect(peer: string, port: Port): Promise<void>;
  /** The last messages its actors have read, oldest first; also when it has died, whatever of. */
  flight(atMost?: number): readonly FlightEntry[];
  /** Idempotent. `first` is done before: links are closed, or what is in them would keep its memory. */
  terminate(first?: () => Promise<void>): Promise<void>;
}

/** What threads are made of: worker threads in the agent; in a simulation something that only looks like them. */
export interface ThreadMaker<Port> {
  start(start: Omit<ThreadStart, 'flight'>, limits: ResourceLimits, events: ThreadEvents): LiveThread<Port>;
  /** A fresh channel between two threads that live now, by their names. */
  channel(one: string, other: string): readonly [one: Port, other: Port];
  /** The end of a channel as the main thread itself uses it. */
  use(port: Port): FrameChannel;
}
