import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { afterKey, firstView } from '../../src/cli/top/top-view.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';
import { manualClock } from '../support/manual-clock.ts';
import { fakeTerminal } from './fake-terminal.ts';
import { plainMachine } from './run/plain-machine.ts';

/** Runs one command line to its end; the agent it may start fails the test. */
async function hivelet(...args: string[]): Promise<{ readonly code: number | undefined; readonly err: string }> {
  const terminal = fakeTerminal();
  let code: number | undefined;
  await runProgram({
    terminal,
    clock: manualClock(),
    random: () => 0,
    startAgent: () => Promise.reject(new Error('an agent was started')),
    machine: plainMachine,
    mainScript: 'main.ts',
    args,
    leave: (given) => (code = given),
  });
  return { code, err: terminal.complaints.join('') };
}

describe.each(FOREIGN_NAMES)('a command line with %s', (name) => {
  it.each([
    { what: 'as a command', args: [name], says: name },
    // In flags, `_` is written for `-` too.
    {
      what: 'as a flag of the kubelet',
      args: ['run', '--no-launcher', `--${name}=1`],
      says: `--${name.replaceAll('_', '-')}`,
    },
    { what: 'as a feature gate', args: ['run', '--no-launcher', `--feature-gates=${name}=true`], says: name },
    { what: 'as a kind of object', args: ['get', name], says: name },
    { what: 'as a form of output', args: ['get', 'pods', '-o', name], says: 'json, yaml, wide, name' },
  ])('$what is rejected', async ({ args, says }) => {
    const { code, err } = await hivelet(...args);
    expect(code).toBe(1);
    expect(err).toContain(says);
  });

  it('as a key of the live view changes nothing', () => {
    expect(afterKey(firstView, name)).toEqual(firstView);
  });
});
