import { addressOf } from '../../src/actor/messages/message.ts';
import type { ObjectsProtocol } from '../object-cache/protocol.ts';

/** What the object folder can be told: its own reports. */
export type ObjectFolderCommand =
  | { readonly type: 'look' }
  | {
      readonly type: 'looked';
      /** By name: its signature, and its text where that was read anew. */
      readonly files: ReadonlyMap<string, { readonly signature: string; readonly text?: string }>;
    }
  | { readonly type: 'look-failed'; readonly problem: string };

/** Answers the questions of the object cache: an asker need not know which of the two there is. */
export interface ObjectFolderProtocol extends Omit<ObjectsProtocol, 'command'> {
  readonly command: ObjectFolderCommand;
}

export const OBJECT_FOLDER = addressOf<ObjectFolderProtocol>('object-folder');
