import { describe, expect, it } from 'vitest';
import { memInfoBytes } from '../../src/host/mem-info.ts';

describe("a figure of the kernel's meminfo", () => {
  const text =
    'MemTotal:       24684084 kB\nInactive(file):     8 kB\nHugePages_Total:       2\nMemTotalX:      1 kB\n';
  it.each([
    { key: 'MemTotal', bytes: 24_684_084n * 1_024n },
    { key: 'Inactive(file)', bytes: 8_192n },
    { key: 'HugePages_Total', bytes: undefined },
    { key: 'Mem', bytes: undefined },
    { key: 'Total', bytes: undefined },
  ])('is $bytes for $key', ({ key, bytes }) => {
    expect(memInfoBytes(text, key)).toBe(bytes);
  });

  it('is unknown without the file', () => {
    expect(memInfoBytes(undefined, 'MemTotal')).toBeUndefined();
  });
});
