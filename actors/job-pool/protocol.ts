import { addressOf } from '../../src/actor/messages/message.ts';
import type { ManifestFile, ParsedManifest } from '../../src/jobs/parse-manifest.ts';
import type { ParsedPodList, PodListText } from '../../src/jobs/parse-pod-list.ts';
import type { PodDisk } from '../../src/stats/pod-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';

export type ParseOutcome = ParsedManifest;

/** The reason why a job has no answer. */
export type JobLoss =
  /** The time limit passed, and the job's thread was ended. */
  | 'too-long'
  /** The job threw, its thread died, or its answer could not be sent. */
  | 'failed'
  /** The job was not run, or was ended without fault: too many jobs waited, or another job ended the thread. */
  | 'not-run';

/** A lost job has a reason, and no partial result. */
export type JobOutcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly loss: JobLoss; readonly problem: string };

/** Blocking or heavy work that any actor may hand off. Each question is one job. */
export type JobPoolQuestion =
  | { readonly type: 'parse-manifests'; readonly files: readonly ManifestFile[] }
  | { readonly type: 'parse-pod-list'; readonly list: PodListText }
  | { readonly type: 'volume-orders'; readonly orders: readonly VolumeOrder[] }
  /** Disk usage of pods' files. Pods that the time limit did not allow for are missing at the end of the answer. */
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
