import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './messages/message-faults.ts';
import { runCase } from './run-case.ts';

/** Where several actors have to agree, which other threads may change: the rest is for `npm run golden -- --profile compact`. */
const together = /^(?:resize|preempt|reject|eviction|evict|restart-agent)-/;
const lives = ['lifecycle', 'invented']
  .flatMap((kind) => findCases(join(import.meta.dirname, `../golden/${kind}`)))
  .filter(({ name }) => together.test(name));

describe('a life on the threads of a small machine', () => {
  it('is one of many', () => {
    expect(lives.length).toBeGreaterThan(20);
  });

  it.each(lives)('is as recorded: $name', async (found) => {
    expect((await runCase(found, { profile: 'compact' })).differences).toEqual([]);
  });

  it.each(lives.filter(({ name }) => name.startsWith('resize-')))(
    'so is a resize when every message is late: $name',
    async (found) => {
      const [fault] = messageFaults;
      expect((await runCase(found, { profile: 'compact', messages: everyMessage(fault, 3) })).differences).toEqual([]);
    },
  );
});
