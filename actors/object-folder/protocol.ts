import { addressOf } from '../../src/actor/messages/message.ts';
import type { ObjectsProtocol } from '../object-cache/protocol.ts';

/** Messages that the object folder sends to itself. Other actors send only questions. */
export type ObjectFolderCommand =
  | { readonly type: 'look' }
  | {
      readonly type: 'looked';
      /** By file name: the file's signature, and its text if it was read again. */
      readonly files: ReadonlyMap<string, { readonly signature: string; readonly text?: string }>;
    }
  | { readonly type: 'look-failed'; readonly problem: string };

/** Answers the same questions as the object cache: callers need not know which of the two exists. */
export interface ObjectFolderProtocol extends Omit<ObjectsProtocol, 'command'> {
  readonly command: ObjectFolderCommand;
}

export const OBJECT_FOLDER = addressOf<ObjectFolderProtocol>('object-folder');
