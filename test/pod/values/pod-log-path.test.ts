import { describe, expect, it } from 'vitest';

import {
  containerLogPath,
  legacyLogLink,
  podLogDirectory,
  restartCountFromLogs,
} from '../../../src/pod/values/pod-log-path.ts';

describe('the log directory of a pod', () => {
  it('names namespace, name and uid', () => {
    expect(podLogDirectory({ namespace: 'shop', name: 'web', uid: 'u-1' })).toEqual({ ok: true, name: 'shop_web_u-1' });
  });
  it('is rejected when its name is too long for a file system', () => {
    const uid = '0'.repeat(36);
    const longest = 'n'.repeat(255 - 'golden__'.length - uid.length);
    expect(podLogDirectory({ namespace: 'golden', name: longest, uid }).ok).toBe(true);
    expect(podLogDirectory({ namespace: 'golden', name: `${longest}n`, uid })).toEqual({
      ok: false,
      name: `golden_${longest}n_${uid}`,
      message: 'file name too long',
    });
  });
});

it('a container logs into a file named by its restart count', () => {
  expect(containerLogPath('main', 3)).toBe('main/3.log');
});

describe('the legacy link', () => {
  it('names pod, namespace, container and id', () => {
    expect(legacyLogLink({ name: 'web', namespace: 'shop' }, 'main', 'abc')).toBe('web_shop_main-abc.log');
  });
  it('is cut to 255 characters, ending kept', () => {
    const link = legacyLogLink({ name: 'n'.repeat(253), namespace: 'shop' }, 'main', 'abc');
    expect(link).toHaveLength(255);
    expect(link).toMatch(/^n{251}\.log$/);
  });
});

describe('the restart count by log files', () => {
  it.each([
    { files: [], count: 0 },
    { files: ['0.log'], count: 1 },
    { files: ['9.log', '10.log', '2.log'], count: 11 },
    { files: ['3.log.20300102-030405', '3.log.20300102-030405.gz', '1.log'], count: 4 },
    { files: ['x.log', 'log', '4.logs', '-1.log', '4.txt'], count: 0 },
  ])('after $files is $count', ({ files, count }) => {
    expect(restartCountFromLogs(files)).toBe(count);
  });
});
