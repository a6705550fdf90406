import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './messages/message-faults.ts';
import { runCase } from './run-case.ts';

const lives = findCases(join(import.meta.dirname, '../golden/invented'));
/** The number of fault plans here: each life gets one plan and one fault. `npm run golden` plays all of them. */
const SEEDS = 12;

describe("a pod's life without a recording", () => {
  it.each(lives)('follows the expectation: $name', async (found) => {
    expect((await runCase(found)).differences).toEqual([]);
  });

  const faulty = lives.map((found, index) => ({
    found,
    name: found.name,
    fault: messageFaults[index % messageFaults.length] ?? 'delay',
    seed: 1 + (index % SEEDS),
  }));

  it.each(faulty)(
    'follows the expectation with $fault of every message, seed $seed: $name',
    async ({ found, fault, seed }) => {
      expect((await runCase(found, { messages: everyMessage(fault, seed) })).differences).toEqual([]);
    },
  );
});
