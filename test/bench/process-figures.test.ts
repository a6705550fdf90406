import { describe, expect, it } from 'vitest';
import { cpuSince, cpuTimeIn, cpuTimeOf, rssMiBIn, rssMiBOf, totalMs } from '../../bench/density/process-figures.ts';

const stat = (name: string, utime: number, stime: number): string =>
  `4242 (${name}) S 1 4242 4242 0 -1 4194304 900 0 0 0 ${utime} ${stime} 77 88 20 0 16 0 123 456 789\n`;

describe('the CPU time of a process', () => {
  it.each([
    { rule: 'that in user space and in the kernel', text: stat('node', 120, 34), is: { userMs: 1_200, systemMs: 340 } },
    {
      rule: 'read behind a name with blanks and parentheses',
      text: stat('a) S (b', 1, 2),
      is: { userMs: 10, systemMs: 20 },
    },
  ])('is $rule', ({ text, is }) => {
    expect(cpuTimeIn(text)).toEqual(is);
  });

  it('between two moments is the difference', () => {
    const spent = cpuSince({ userMs: 100, systemMs: 20 }, { userMs: 140, systemMs: 30 });
    expect(spent).toEqual({ userMs: 40, systemMs: 10 });
    expect(totalMs(spent)).toBe(50);
  });

  it('is not made up from something else', () => {
    expect(() => cpuTimeIn('no such process')).toThrow('not the stat file of a process');
  });

  it('can be read for a running process', () => {
    expect(totalMs(cpuTimeOf(process.pid))).toBeGreaterThan(0);
  });
});

describe('the memory of a process', () => {
  it('is the current memory, not the peak', () => {
    expect(rssMiBIn('VmHWM:\t  307200 kB\nVmRSS:\t  204800 kB\nRssAnon:\t 1 kB\n')).toBe(200);
  });

  it('is not made up from something else', () => {
    expect(() => rssMiBIn('Name:\tkthreadd\n')).toThrow('no VmRSS');
  });

  it('can be read for a running process', () => {
    expect(rssMiBOf(process.pid)).toBeGreaterThan(1);
  });
});
