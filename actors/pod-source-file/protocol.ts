import { addressOf } from '../../src/actor/messages/message.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';

/** What the file source can be told. */
export type PodSourceFileCommand =
  /** Of a pod manager that starts anew: say everything again. */
  | { readonly type: 'send-all' }
  /** Its own timer: the pod manager is to see whether it has heard all. */
  | { readonly type: 'show-life' }
  /** Its own timer: look at every file. */
  | { readonly type: 'poll' }
  /** Its own timer: a file that was given up is read again with the next look. */
  | { readonly type: 'try-again'; readonly file: string }
  /** The file system says that something about this name has changed. */
  | { readonly type: 'name-changed'; readonly name: string }
  /** Its own timer: look at the files whose names have been told. */
  | { readonly type: 'names-settled' }
  | { readonly type: 'listed'; readonly listing: Listing }
  | {
      readonly type: 'parsed';
      readonly outcomes: readonly ParseOutcome[];
      readonly signatures: ReadonlyMap<string, string>;
    }
  /**
   * Every file that this look has found has been read, and `jobs` reports of that told; `lost` ones are unknown still. One
   * of the reports may come later than this.
   */
  | {
      readonly type: 'look-ended';
      readonly scope: 'everything' | 'names';
      readonly jobs: number;
      readonly lost: readonly string[];
    };

/**
 * A look at the folder (or the one file) of static pods. The text of a file changes whenever its content may have. `leftOut`
 * has the entries that are no regular file, with what they are: their content is never asked for.
 */
export type Listing =
  | {
      readonly ok: true;
      readonly scope: 'everything';
      readonly files: ReadonlyMap<string, string>;
      readonly leftOut: ReadonlyMap<string, string>;
      /** Files beyond the most that are taken, the last by name. */
      readonly tooMany: number;
    }
  /** Of some names only: those that are there, and the paths of those that are not. */
  | {
      readonly ok: true;
      readonly scope: 'names';
      readonly files: ReadonlyMap<string, string>;
      readonly gone: readonly string[];
      readonly leftOut: ReadonlyMap<string, string>;
    }
  /** `missing`: there is no such folder, which is as good as an empty one. Otherwise nothing is known of it. */
  | { readonly ok: false; readonly missing: boolean; readonly problem: string };

export interface PodSourceFileProtocol {
  readonly command: PodSourceFileCommand;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_FILE = addressOf<PodSourceFileProtocol>('pod-source-file');
