import { addressOf } from '../../src/actor/messages/message.ts';
import type { ManifestFile, ParsedManifest } from '../../src/jobs/parse-manifest.ts';
import type { ParsedPodList, PodListText } from '../../src/jobs/parse-pod-list.ts';
import type { PodDisk } from '../../src/stats/pod-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { VolumeOrder } from '../../src/volumes/disk/volume-workshop.ts';

export type ParseOutcome = ParsedManifest;

/** What became of a job that has no answer. */
export type JobLoss =
  /** Its time ran out, and its thread was ended. */
  | 'too-long'
  /** It threw, its thread died, or its answer could not be sent. */
  | 'failed'
  /** It was not run, or ended by no fault of its own: too many waited, or another job ended the thread. */
  | 'not-run';

/** A job that was lost, with its thread or otherwise, says so; nothing it would have said is known. */
export type JobOutcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly loss: JobLoss; readonly problem: string };

/** Blocking or heavy work that any actor may hand off. Each question is one job. */
export type JobPoolQuestion =
  | { readonly type: 'parse-manifests'; readonly files: readonly ManifestFile[] }
  | { readonly type: 'parse-pod-list'; readonly list: PodListText }
  | { readonly type: 'volume-orders'; readonly orders: readonly VolumeOrder[] }
  /** What pods' files take up. Those that its time did not suffice for are left out at the end. */
  | { readonly type: 'walk-pods'; readonly pods: readonly PodFolders[] };

export interface JobPoolProtocol {
  readonly command: never;
  readonly question: JobPoolQuestion;
  readonly answers: {
    readonly 'parse-manifests': JobOutcome<readonly ParseOutcome[]>;
    readonly 'parse-pod-list': JobOutcome<ParsedPodList>;
    readonly 'volume-orders': JobOutcome<readonly VolumeOutcome[]>;
    readonly 'walk-pods': JobOutcome<readonly PodDisk[]>;
  };
}

export const JOB_POOL = addressOf<JobPoolProtocol>('job-pool');
