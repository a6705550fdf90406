import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './message-faults.ts';
import { runCase } from './run-case.ts';

const lives = findCases(join(import.meta.dirname, '../golden/invented'));
const SEED = 1;

describe("a pod's life that nobody has recorded", () => {
  it.each(lives)('is as it is to be: $name', async (found) => {
    expect((await runCase(found)).differences).toEqual([]);
  });

  describe.each(messageFaults)('when every message between actors meets %s', (fault) => {
    it.each(lives)('is so all the same: $name', async (found) => {
      expect((await runCase(found, { messages: everyMessage(fault, SEED) })).differences).toEqual([]);
    });
  });
});
