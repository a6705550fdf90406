import { addressOf } from '../../src/actor/messages/message.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';

/** Commands from other actors. */
export type PodSourceFileCommand =
  /** From a restarted pod manager: send all pods again. */
  { readonly type: 'send-all' };

/** The source's own reports: changes of the file system, listings and jobs that have ended. */
export type PodSourceFileReport =
  /** The file system reports a change under this name: of the file that has the name, or of that file's content. */
  | { readonly type: 'name-changed'; readonly name: string; readonly what: 'entry' | 'content' }
  | { readonly type: 'listed'; readonly listing: Listing }
  | {
      readonly type: 'parsed';
      readonly outcomes: readonly ParseOutcome[];
      readonly signatures: ReadonlyMap<string, string>;
    }
  /**
   * The look has read every file it found, in `jobs` reports. The contents of the `lost` files are still unknown. A
   * report may arrive after this message.
   */
  | {
      readonly type: 'scan-ended';
      readonly scope: 'everything' | 'names';
      readonly jobs: number;
      readonly lost: readonly string[];
    };

/** The source's own timers. */
export type PodSourceFileTimer =
  /** Time to send the session's current number, by which the pod manager detects lost messages. */
  | { readonly type: 'heartbeat-due' }
  /** Time to check every file. */
  | { readonly type: 'poll' }
  /** Time to check the files whose names were reported. */
  | { readonly type: 'names-settled' }
  /** A file that was given up is read again with the next look. */
  | { readonly type: 'retry-due'; readonly file: string };

/**
 * The listing of the static pod folder, or of the one file. A file's text changes whenever its content may have
 * changed. `leftOut` holds the entries that are not regular files, with their kind: their content is never read.
 */
export type Listing =
  | {
      readonly ok: true;
      readonly scope: 'everything';
      readonly files: ReadonlyMap<string, string>;
      readonly leftOut: ReadonlyMap<string, string>;
      /** Files beyond the limit, the last by name. */
      readonly tooMany: number;
    }
  /** For some names only: the files that exist, and the paths of those that do not. */
  | {
      readonly ok: true;
      readonly scope: 'names';
      readonly files: ReadonlyMap<string, string>;
      readonly gone: readonly string[];
      readonly leftOut: ReadonlyMap<string, string>;
    }
  /** `missing`: the folder does not exist, which counts as empty. Otherwise its content is unknown. */
  | { readonly ok: false; readonly missing: boolean; readonly problem: string };

export interface PodSourceFileProtocol {
  readonly command: PodSourceFileCommand | PodSourceFileReport | PodSourceFileTimer;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_FILE = addressOf<PodSourceFileProtocol>('pod-source-file');
