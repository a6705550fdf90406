import type { Address } from '../../src/actor/message.ts';
import type { ManifestFile, ParsedManifest } from '../../src/jobs/parse-manifest.ts';

export type ParseOutcome = ParsedManifest;

/** Blocking or heavy work that any actor may hand off. Each question is one job. */
export type JobPoolQuestion = { readonly type: 'parse-manifests'; readonly files: readonly ManifestFile[] };

export interface JobPoolProtocol {
  readonly command: never;
  readonly question: JobPoolQuestion;
  readonly answers: { readonly 'parse-manifests': readonly ParseOutcome[] };
}

export const JOB_POOL: Address = 'job-pool';
