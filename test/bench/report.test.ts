import { describe, expect, it } from 'vitest';
import type { DensityFigures } from '../../bench/density/figures.ts';
import { asJsonLine, asMarkdown, asText, distanceToFloor, growth } from '../../bench/density/report.ts';

const figures = (given: Partial<DensityFigures> = {}): DensityFigures => ({
  pods: 1_000,
  wallMs: 4_321.6,
  wallFromStartMs: 5_021.6,
  cpuMsPerPod: 3.5,
  kernelCpuMsPerPod: 1,
  cpuMsPerPodFromStart: 4,
  floorCpuMsPerPod: 1.4,
  rssEmptyMiB: 120.4,
  rssMiB: 210.25,
  startP50Ms: 1_800.44,
  startP99Ms: 3_600.06,
  arrivalP50Ms: 2_000,
  arrivalP99Ms: 4_000,
  idleCpuPercent: 1.234,
  threads: [{ name: 'cri', cpuMs: 900.4, heapMiB: 12.34 }],
  otherThreadsCpuMs: 700,
  ...given,
});

describe('the JSON line', () => {
  it('holds the figures that programs read, and no others', () => {
    expect(JSON.parse(asJsonLine(figures()))).toEqual({
      pods: 1_000,
      wallMs: 4_322,
      cpuMsPerPod: 3.5,
      floorCpuMsPerPod: 1.4,
      rssMiB: 210.3,
      startP50Ms: 1_800.4,
      startP99Ms: 3_600.1,
      idleCpuPercent: 1.23,
      threads: [{ name: 'cri', cpuMs: 900, heapMiB: 12.3 }],
    });
  });

  it('has one line', () => {
    expect(asJsonLine(figures())).not.toContain('\n');
  });
});

describe('the distance to the floor', () => {
  it('is how many times the CPU of the bare client the agent takes', () => {
    expect(distanceToFloor(figures())).toBeCloseTo(2.5);
  });
});

describe('the growth of the cost with the number of pods', () => {
  it('compares the largest run with the smallest, in any order', () => {
    const runs = [figures({ pods: 3_000, cpuMsPerPod: 6 }), figures(), figures({ pods: 200, cpuMsPerPod: 5 })];
    expect(growth(runs)).toBe('CPU per pod at 3,000 is 1.20 × that at 200 (target ≤ 1.3 ×)');
  });

  it.each([
    { rule: 'one run', runs: [figures()] },
    { rule: 'runs of one size', runs: [figures(), figures()] },
    { rule: 'no runs', runs: [] },
  ])('cannot be computed from $rule', ({ runs }) => {
    expect(growth(runs)).toBeUndefined();
  });
});

describe('the tables', () => {
  it('have a column for each run, with targets beside them', () => {
    expect(asText([figures({ pods: 200 }), figures()])).toMatch(
      /^pods +200 +1,000 +target\nall Ready, s +4\.32 +4\.32 +≤/,
    );
  });

  it('say in Markdown when, where and how the figures were taken', () => {
    const text = asMarkdown([figures()], { date: '2030-01-02', command: 'npm run bench', machine: '2 cores' });
    expect(text.split('\n')[0]).toBe('2030-01-02, 2 cores: `npm run bench`');
  });

  it('omit a thread from the runs without it', () => {
    const other = figures({ pods: 3_000, threads: [{ name: 'core', cpuMs: 5, heapMiB: 6 }] });
    const text = asMarkdown([figures(), other], { date: '', command: '', machine: '' });
    expect(text).toContain('| cri | 900 / 12 |  |');
    expect(text).toContain('| core |  | 5 / 6 |');
  });
});
