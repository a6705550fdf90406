import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openScenarios } from '../lifecycle/open-scenarios.ts';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults, type MessageFault } from './message-faults.ts';
import { runCase } from './run-case.ts';

const lives = findCases(join(import.meta.dirname, '../golden/lifecycle')).filter(
  ({ name }) => !openScenarios.has(name),
);
const SEED = 1;

/** Lives that then show other statuses on the way, or are not tidied up yet when the recording ends. To become empty. */
const open: Readonly<Record<MessageFault, ReadonlySet<string>>> = {
  delay: new Set([]),
  duplicate: new Set([]),
};

describe.each(messageFaults)('a life in which every message between actors meets %s', (fault) => {
  const differencesOf = async (found: (typeof lives)[number]) =>
    (await runCase(found, { messages: everyMessage(fault, SEED) })).differences;

  it.each(lives.filter(({ name }) => !open[fault].has(name)))('is as recorded all the same: $name', async (found) => {
    expect(await differencesOf(found)).toEqual([]);
  });

  it.each(lives.filter(({ name }) => open[fault].has(name)))('is open indeed: $name', async (found) => {
    expect(await differencesOf(found)).not.toEqual([]);
  });
});
