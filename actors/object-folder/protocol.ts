import type { Address } from '../../src/actor/message.ts';
import type { ObjectCacheProtocol, ObjectCacheQuestion } from '../object-cache/protocol.ts';

/** What the object folder can be told: its own reports. */
export type ObjectFolderCommand =
  | { readonly type: 'look' }
  | {
      readonly type: 'looked';
      /** By name: its signature, and its text where that was read anew. */
      readonly files: ReadonlyMap<string, { readonly signature: string; readonly text?: string }>;
    }
  | { readonly type: 'look-failed'; readonly problem: string };

/** Asked and answered as the object cache: whoever asks need not know which of the two there is. */
export interface ObjectFolderProtocol {
  readonly command: ObjectFolderCommand;
  readonly question: ObjectCacheQuestion;
  readonly answers: ObjectCacheProtocol['answers'];
}

export const OBJECT_FOLDER: Address = 'object-folder';
