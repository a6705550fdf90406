import { describe, expect, it } from 'vitest';
import {
  containerIdOfLink,
  deadLogs,
  podUidOfLogDirectory,
  restartedLogDirectories,
} from '../../../actors/garbage-collector/plan-logs.ts';

describe('the log folders', () => {
  it.each([
    { name: 'shop_web_uid-1', uid: 'uid-1' },
    { name: 'web_uid-1', uid: undefined },
    { name: 'a_b_c_d', uid: undefined },
    { name: 'shop__uid-1', uid: undefined },
    { name: 'lost+found', uid: undefined },
  ])('the directory $name is of pod $uid', ({ name, uid }) => {
    expect(podUidOfLogDirectory(name)).toBe(uid);
  });

  it.each([
    { name: 'web-1_shop_main-0a1b2c.log', id: '0a1b2c' },
    { name: 'web_shop_main.log', id: undefined },
    { name: 'syslog', id: undefined },
    { name: 'web_shop_main-0a1b2c.txt', id: undefined },
  ])('the link $name is of container $id', ({ name, id }) => {
    expect(containerIdOfLink(name)).toBe(id);
  });

  it('are listed only for restarted containers', () => {
    const of = (name: string, restartCount: number) => ({
      podUid: 'u',
      podName: 'web',
      podNamespace: 'shop',
      name,
      restartCount,
    });
    const found = restartedLogDirectories([of('once', 0), of('often', 3), of('often', 2)]);
    expect([...found]).toEqual([['shop_web_u/often', new Set([3, 2])]]);
  });

  it.each([
    {
      rule: 'logs of instances without a record, rotated logs too',
      kept: [3, 2],
      gone: ['0.log', '1.log', '1.log.20260101-000000.gz'],
    },
    { rule: "no log of an instance newer than the runtime's", kept: [1], gone: ['0.log'] },
  ])('goes: $rule', ({ kept, gone }) => {
    const files = [
      '0.log',
      '1.log',
      '1.log.20260101-000000.gz',
      '2.log',
      '3.log',
      '3.log.20260101-000000',
      'notes.txt',
    ];
    expect(deadLogs(files, new Set(kept))).toEqual(gone);
  });
});
