import type { JobLoss } from '../job-pool/protocol.ts';

export interface LostParsing {
  readonly loss: JobLoss;
  /** How many files the job had. */
  readonly files: number;
  /** For a job with one file: how many such jobs were lost in a row, this one included. */
  readonly times: number;
}

/** The next step: one job per file, a retry at the next look, or no retry for a long time unless the file changes. */
export type AfterLostJob = 'one-by-one' | 'again-later' | 'give-up';

/** A thread can die by chance, but hardly this often in a row with the same file. */
const LOST_BY_CHANCE = 4;

/**
 * Decides what follows the loss of a parse job. One file may have made the job fail for the others, so each file is
 * tried alone. A file that alone makes its job fail is given up, since it would fail again.
 */
export function afterLostJob({ loss, files, times }: LostParsing): AfterLostJob {
  if (loss === 'not-run') return 'again-later';
  if (files > 1) return 'one-by-one';
  return loss === 'too-long' || times > LOST_BY_CHANCE ? 'give-up' : 'again-later';
}
