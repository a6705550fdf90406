import { describe, expect, it } from 'vitest';
import { waitedBetween, waitedIn } from './cpu-waits.ts';

describe('the time that processes waited for a CPU', () => {
  const samples = [
    { at: 0, waitedMs: 500 },
    { at: 100, waitedMs: 500 },
    { at: 200, waitedMs: 580 },
    { at: 300, waitedMs: 600 },
  ];
  it.each([
    { from: 0, to: 100, waited: 0 },
    { from: 100, to: 200, waited: 80 },
    { from: 0, to: 300, waited: 100 },
    { from: 110, to: 150, waited: 40 },
    { from: 250, to: 900, waited: 20 },
  ])('from $from to $to is $waited', ({ from, to, waited }) => {
    expect(waitedBetween(samples, [from, to])).toBe(waited);
  });

  it('is none where nothing was counted', () => {
    expect(waitedBetween([], [0, 100])).toBe(0);
  });

  it.each([
    { text: 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1500\nfull avg10=0.00 total=9', waited: 1.5 },
    { text: '', waited: undefined },
  ])('is read from "$text"', ({ text, waited }) => {
    expect(waitedIn(text)).toBe(waited);
  });
});
