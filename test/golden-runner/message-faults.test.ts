import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openScenarios } from '../lifecycle/open-scenarios.ts';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './message-faults.ts';
import { runCase } from './run-case.ts';

const lives = findCases(join(import.meta.dirname, '../golden/lifecycle')).filter(
  ({ name }) => !openScenarios.has(name),
);
const SEED = 1;

describe.each(messageFaults)('a life in which every message between actors meets %s', (fault) => {
  it.each(lives)('is as recorded all the same: $name', async (found) => {
    expect((await runCase(found, { messages: everyMessage(fault, SEED) })).differences).toEqual([]);
  });
});
