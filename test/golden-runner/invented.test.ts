import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './messages/message-faults.ts';
import { runCase } from './run-case.ts';

const lives = findCases(join(import.meta.dirname, '../golden/invented'));
/** So many different plans of faults: each life has one of them, and one of the faults; all of them are for `npm run golden`. */
const SEEDS = 12;

describe("a pod's life that nobody has recorded", () => {
  it.each(lives)('is as it is to be: $name', async (found) => {
    expect((await runCase(found)).differences).toEqual([]);
  });

  const faulty = lives.map((found, index) => ({
    found,
    name: found.name,
    fault: messageFaults[index % messageFaults.length] ?? 'delay',
    seed: 1 + (index % SEEDS),
  }));

  it.each(faulty)('is so though every message meets $fault, seed $seed: $name', async ({ found, fault, seed }) => {
    expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
  });
});
