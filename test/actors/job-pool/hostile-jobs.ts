import { readFileSync } from 'node:fs';
import { assertNever } from '../../../src/kube/text/assert-never.ts';

/** Jobs that misbehave. The input of a job, not its name, selects the misbehaviour. */
export type HostileInput =
  | 'answer'
  | 'throw'
  | 'never-end'
  | 'never-yield'
  | 'exit'
  | 'exhaust-heap'
  | 'answer-a-function'
  | 'answer-beyond-the-receiver'
  | 'answer-beyond-the-sender'
  /** Reads a pipe to its end: the thread waits for the kernel. */
  | { readonly pipe: string };

const nested = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

async function job(input: HostileInput): Promise<unknown> {
  if (typeof input === 'object') return readFileSync(input.pipe, 'utf8');
  switch (input) {
    case 'answer':
      return 'an answer';
    case 'throw':
      throw new Error('on purpose');
    case 'never-end':
      return new Promise(() => {});
    case 'never-yield':
      for (;;) continue;
    case 'exit':
      return process.exit(1);
    case 'exhaust-heap': {
      const held: unknown[] = [];
      for (;;) held.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
    }
    case 'answer-a-function':
      return () => 'a function';
    case 'answer-beyond-the-receiver':
      // A worker thread can send the value; the main thread's stack is too small to receive it.
      return nested(6_000);
    case 'answer-beyond-the-sender':
      return nested(100_000);
    default:
      return assertNever(input, 'hostile input');
  }
}

export const parseManifests = job;
export const parsePodList = job;
export const volumeOrders = job;
export const walkPods = job;
