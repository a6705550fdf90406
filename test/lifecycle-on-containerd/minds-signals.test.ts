import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { mindsTerm, untilItMindsTerm } from './minds-signals.ts';

const status = (name: string, caught: string, ignored = '0'): string =>
  `Name:\t${name}\nPid:\t7\nSigIgn:\t${ignored.padStart(16, '0')}\nSigCgt:\t${caught.padStart(16, '0')}\n`;

describe('a container’s first process', () => {
  it.each([
    { what: 'has no trap yet', is: status('sh', '2'), minds: false },
    { what: 'has a trap for TERM', is: status('sh', '4000'), minds: true },
    { what: 'ignores TERM', is: status('sh', '0', '4000'), minds: true },
    { what: 'is still the runtime’s init process', is: status('runc:[2:INIT]', 'ffffffff'), minds: false },
    { what: 'has ended', is: `${status('sh', '0')}State:\tZ (zombie)\n`, minds: true },
    { what: 'does not exist', is: undefined, minds: true },
  ])('$what: handles TERM: $minds', ({ is, minds }) => {
    expect(mindsTerm(is)).toBe(minds);
  });

  it('is awaited until its trap is set', async () => {
    const child = spawn('sh', ['-c', `trap 'exit 3' TERM; while :; do sleep 0.01; done`]);
    await once(child, 'spawn');
    await untilItMindsTerm(child.pid ?? 0);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});
