import { expect, it } from 'vitest';
import { goDuration } from '../../../src/kube/text/go-duration.ts';

it.each([
  [0, '0s'],
  [1, '1s'],
  [59, '59s'],
  [60, '1m0s'],
  [90, '1m30s'],
  [3_600, '1h0m0s'],
  [7_325, '2h2m5s'],
])('%d seconds are %s to Go', (seconds, text) => {
  expect(goDuration(seconds)).toBe(text);
});
