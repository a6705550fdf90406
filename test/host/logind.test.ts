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

describe('a message of logind', () => {
  it.each([
    { rule: 'a shutdown', line: signal('PrepareForShutdown', [true]), says: true },
    { rule: 'a cancelled shutdown', line: signal('PrepareForShutdown', [false]), says: false },
    { rule: 'nothing of a shutdown: another signal', line: signal('PrepareForSleep', [true]), says: undefined },
    { rule: 'a malformed message', line: signal('PrepareForShutdown', ['yes']), says: undefined },
    { rule: 'an empty message', line: 'Monitoring bus message stream.', says: undefined },
    { rule: 'nothing: another kind of JSON', line: '[]', says: undefined },
  ])('$rule', ({ line, says }) => {
    expect(announcedBy(line)).toBe(says);
  });
});
