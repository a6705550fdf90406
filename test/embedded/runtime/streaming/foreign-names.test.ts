import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCommand, type CommandWorld } from '../../../../src/embedded/runtime/streaming/simulated-commands.ts';
import { FOREIGN_NAMES } from '../../../support/foreign-names.ts';
import { manualClock } from '../../../support/manual-clock.ts';

const world = (): CommandWorld => ({
  stdin: undefined,
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: new Map(),
  hostname: 'h',
  clock: manualClock(),
  terminal: undefined,
  signal: new AbortController().signal,
});

describe.each(FOREIGN_NAMES)('a simulated container asked to run %s', (name) => {
  it.each([{ argv: [name] }, { argv: [`/usr/bin/${name}`] }, { argv: ['sh', '-c', name] }])(
    'has no such command: $argv',
    async ({ argv }) => {
      expect(await runCommand(argv, world())).toBe(127);
    },
  );
});
