import { addressOf } from '../../src/actor/messages/message.ts';
import type { ObjectsProtocol } from '../object-cache/protocol.ts';

/** Own reports. Other actors send only questions. */
export type ObjectFolderReport =
  | {
      readonly type: 'folder-read';
      /** By file name: the file's signature, and its text if it was read again. */
      readonly files: ReadonlyMap<string, { readonly signature: string; readonly text?: string }>;
    }
  | { readonly type: 'read-failed'; readonly problem: string };

/** Own timers. */
export type ObjectFolderTimer = { readonly type: 'read-due' };

/** Answers the same questions as the object cache: callers need not know which of the two exists. */
export interface ObjectFolderProtocol extends Omit<ObjectsProtocol, 'command'> {
  readonly command: ObjectFolderReport | ObjectFolderTimer;
}

export const OBJECT_FOLDER = addressOf<ObjectFolderProtocol>('object-folder');
