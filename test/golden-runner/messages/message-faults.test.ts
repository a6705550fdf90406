import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from '../find-cases.ts';
import { everyMessage, messageFaults } from './message-faults.ts';
import { runCase } from '../run-case.ts';

const copies = (kind: string) => findCases(join(import.meta.dirname, `../../golden/${kind}`));
/** So many different plans: each case has one of them. */
const SEEDS = 12;

describe.each(messageFaults)('a life in which every message between actors meets %s', (fault) => {
  const lives = copies('lifecycle').map((found, index) => ({ found, name: found.name, seed: 1 + (index % SEEDS) }));

  it.each(lives)('is as recorded all the same: $name, seed $seed', async ({ found, seed }) => {
    expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
  });
});

describe('a pod whose requests to the runtime were recorded, when every message is late or comes twice', () => {
  /** Each meets one of the two: what both do to it is for `npm run golden`. */
  const pods = copies('cri').map((found, index) => ({
    found,
    name: found.name,
    fault: messageFaults[index % messageFaults.length] ?? 'delay',
    seed: 1 + (index % SEEDS),
  }));

  it.each(pods)('has the same asked for it: $name, $fault, seed $seed', async ({ found, fault, seed }) => {
    expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
  });
});
