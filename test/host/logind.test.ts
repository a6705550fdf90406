import { describe, expect, it } from 'vitest';
import { announcedBy } from '../../src/host/logind.ts';

const signal = (member: string, data: readonly unknown[]) =>
  JSON.stringify({
    type: 'signal',
    endian: 'l',
    flags: 1,
    version: 1,
    cookie: 2,
    sender: ':1.1',
    path: '/org/freedesktop/login1',
    interface: 'org.freedesktop.login1.Manager',
    member,
    payload: { type: 'b', data },
  });

describe('what logind announces', () => {
  it.each([
    { rule: 'a shutdown', line: signal('PrepareForShutdown', [true]), says: true },
    { rule: 'a shutdown that is called off', line: signal('PrepareForShutdown', [false]), says: false },
    { rule: 'nothing of a shutdown: another signal', line: signal('PrepareForSleep', [true]), says: undefined },
    { rule: 'nothing that can be read', line: signal('PrepareForShutdown', ['yes']), says: undefined },
    { rule: 'nothing: not even a message', line: 'Monitoring bus message stream.', says: undefined },
    { rule: 'nothing: another kind of JSON', line: '[]', says: undefined },
  ])('$rule', ({ line, says }) => {
    expect(announcedBy(line)).toBe(says);
  });
});
