import { describe, expect, it } from 'vitest';
import { afterLostJob, type AfterLostJob, type LostParsing } from '../../../actors/pod-source-file/after-lost-job.ts';

interface Case {
  readonly rule: string;
  readonly lost: LostParsing;
  readonly next: AfterLostJob;
}

describe('a lost job with manifests to parse', () => {
  it.each([
    { rule: 'its files are tried one by one', lost: { loss: 'failed', files: 50, times: 0 }, next: 'one-by-one' },
    { rule: 'also after a timeout', lost: { loss: 'too-long', files: 2, times: 0 }, next: 'one-by-one' },
    {
      rule: 'a job that never ran blames no file',
      lost: { loss: 'not-run', files: 50, times: 0 },
      next: 'again-later',
    },
    { rule: 'not even the only file', lost: { loss: 'not-run', files: 1, times: 0 }, next: 'again-later' },
    {
      rule: 'a single loss with one file may have another cause',
      lost: { loss: 'failed', files: 1, times: 1 },
      next: 'again-later',
    },
    { rule: 'so may the fourth', lost: { loss: 'failed', files: 1, times: 4 }, next: 'again-later' },
    { rule: 'the fifth loss in a row is not', lost: { loss: 'failed', files: 1, times: 5 }, next: 'give-up' },
    {
      rule: 'a single file that times out is abandoned',
      lost: { loss: 'too-long', files: 1, times: 1 },
      next: 'give-up',
    },
  ] satisfies Case[])('$rule', ({ lost, next }) => {
    expect(afterLostJob(lost)).toBe(next);
  });
});
