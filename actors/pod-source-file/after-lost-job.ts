import type { JobLoss } from '../job-pool/protocol.ts';

export interface LostParsing {
  readonly loss: JobLoss;
  /** How many files the job had. */
  readonly files: number;
  /** Of a job with one file: how many such jobs were lost in a row, this one included. */
  readonly times: number;
}

/** What comes next: the same files in jobs of their own, the same file with the next look, or not for a long while unless it changes. */
export type AfterLostJob = 'one-by-one' | 'again-later' | 'give-up';

/** A thread can die by chance, but hardly so often in a row with the same file. */
const LOST_BY_CHANCE = 4;

/**
 * What follows the loss of a job that had manifests to parse. One file may have cost the others their answer, so each is
 * tried alone. A file that costs a job alone is given up: time and again it would cost as much.
 */
export function afterLostJob({ loss, files, times }: LostParsing): AfterLostJob {
  if (loss === 'not-run') return 'again-later';
  if (files > 1) return 'one-by-one';
  return loss === 'too-long' || times > LOST_BY_CHANCE ? 'give-up' : 'again-later';
}
