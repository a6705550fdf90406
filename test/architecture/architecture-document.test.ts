import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { criFaultCodes } from '../../src/cri/fault.ts';
import { root } from './read-house.ts';

const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

it.each(['INTERRUPTED', 'NOT_MADE'])(
  'ARCHITECTURE.md names %s, which only this agent adds to the faults of the runtime',
  (code) => {
    expect(criFaultCodes).toContain(code);
    expect(document).toContain(`\`${code}\``);
  },
);
