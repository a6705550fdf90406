import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addKubeletFlags, inOurSpelling, kubeletFlags } from '../../../src/cli/run/kubelet-flags.ts';
import { flagTable } from '../../../src/config/flags/flag-table.ts';
import type { FlagValues } from '../../../src/config/flags/parse-flags.ts';

function read(...args: string[]): FlagValues {
  const command = addKubeletFlags(new Command('run')).exitOverride();
  command.parse([...inOurSpelling(args)], { from: 'user' });
  return kubeletFlags(command);
}

describe('the flags of the kubelet on our command line', () => {
  it.each([
    { args: ['--root-dir', '/r'], flags: { 'root-dir': ['/r'] } },
    { args: ['--root_dir=/r'], flags: { 'root-dir': ['/r'] } },
    { args: ['-v', '4'], flags: { v: ['4'] } },
    { args: ['-v=4'], flags: { v: ['4'] } },
    { args: ['--fail-swap-on'], flags: { 'fail-swap-on': ['true'] } },
    { args: ['--fail-swap-on=false', '--v=2'], flags: { 'fail-swap-on': ['false'], v: ['2'] } },
    { args: ['--feature-gates=A=true', '--feature-gates=B=false'], flags: { 'feature-gates': ['A=true', 'B=false'] } },
    { args: [], flags: {} },
  ])('are read from $args', ({ args, flags }) => {
    expect(read(...args)).toEqual(flags);
  });

  it('are all accepted', () => {
    const flags = read(...flagTable.map(({ name }) => `--${name}=1`));
    expect(Object.keys(flags)).toEqual(flagTable.map(({ name }) => name));
  });
});
