import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { everyMessage, messageFaults } from './messages/message-faults.ts';
import { runCase } from './run-case.ts';

/** Lives in which several actors must agree, so threads matter. `npm run golden -- --profile compact` plays the others. */
const together = /^(?:resize|preempt|reject|eviction|evict|restart-agent)-/;
const lives = ['lifecycle', 'invented']
  .flatMap((kind) => findCases(join(import.meta.dirname, `../golden/${kind}`)))
  .filter(({ name }) => together.test(name));

describe('a pod’s life on the threads of the profile compact', () => {
  it('is one of several cases', () => {
    expect(lives.length).toBeGreaterThan(20);
  });

  it.each(lives)('matches the recording: $name', async (found) => {
    expect((await runCase(found, { profile: 'compact' })).differences).toEqual([]);
  });

  it.each(lives.filter(({ name }) => name.startsWith('resize-')))(
    'matches the recording of a resize when every message is late: $name',
    async (found) => {
      const [fault] = messageFaults;
      expect((await runCase(found, { profile: 'compact', messages: everyMessage(fault, 3) })).differences).toEqual([]);
    },
  );
});
