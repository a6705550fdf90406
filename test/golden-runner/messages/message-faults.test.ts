import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from '../find-cases.ts';
import { everyMessage, messageFaults } from './message-faults.ts';
import { runCase } from '../run-case.ts';

const copies = (kind: string) => findCases(join(import.meta.dirname, `../../golden/${kind}`));
/** The number of fault plans here: each case gets one. */
const SEEDS = 12;

describe.each(messageFaults)('a pod’s life with %s of every message between actors', (fault) => {
  const lives = copies('lifecycle').map((found, index) => ({ found, name: found.name, seed: 1 + (index % SEEDS) }));

  it.each(lives)('matches the recording: $name, seed $seed', async ({ found, seed }) => {
    expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
  });
});

describe('a pod with recorded CRI requests, when every message is late or arrives twice', () => {
  /** Each case gets one of the two faults. `npm run golden` plays both. */
  const pods = copies('cri').map((found, index) => ({
    found,
    name: found.name,
    fault: messageFaults[index % messageFaults.length] ?? 'delay',
    seed: 1 + (index % SEEDS),
  }));

  it.each(pods)('makes the same CRI requests: $name, $fault, seed $seed', async ({ found, fault, seed }) => {
    expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
  });
});
