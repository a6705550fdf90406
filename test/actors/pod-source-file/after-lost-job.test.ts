import { describe, expect, it } from 'vitest';
import { afterLostJob, type AfterLostJob, type LostParsing } from '../../../actors/pod-source-file/after-lost-job.ts';

interface Case {
  readonly rule: string;
  readonly lost: LostParsing;
  readonly next: AfterLostJob;
}

describe('a job with manifests to parse that was lost', () => {
  it.each([
    { rule: 'its files are tried one by one', lost: { loss: 'failed', files: 50, times: 0 }, next: 'one-by-one' },
    { rule: 'also where it took too long', lost: { loss: 'too-long', files: 2, times: 0 }, next: 'one-by-one' },
    { rule: 'that was not run blames no file', lost: { loss: 'not-run', files: 50, times: 0 }, next: 'again-later' },
    { rule: 'nor the only one', lost: { loss: 'not-run', files: 1, times: 0 }, next: 'again-later' },
    { rule: 'with one file may be chance', lost: { loss: 'failed', files: 1, times: 1 }, next: 'again-later' },
    { rule: 'the fourth time as well', lost: { loss: 'failed', files: 1, times: 4 }, next: 'again-later' },
    { rule: 'the fifth time in a row is not', lost: { loss: 'failed', files: 1, times: 5 }, next: 'give-up' },
    {
      rule: 'a file that takes too long alone always will',
      lost: { loss: 'too-long', files: 1, times: 1 },
      next: 'give-up',
    },
  ] satisfies Case[])('$rule', ({ lost, next }) => {
    expect(afterLostJob(lost)).toBe(next);
  });
});
