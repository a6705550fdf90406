import type { Address } from '../../src/actor/message.ts';
import type { ConfigMapContent, ObjectAnswer, ObjectQuestion, SecretContent } from '../object-cache/protocol.ts';

/** What the object folder can be told: its own reports. */
export type ObjectFolderCommand =
  | { readonly type: 'look' }
  | {
      readonly type: 'looked';
      /** By name: its signature, and its text where that was read anew. */
      readonly files: ReadonlyMap<string, { readonly signature: string; readonly text?: string }>;
    }
  | { readonly type: 'look-failed'; readonly problem: string };

/** As the object cache is asked: whoever asks need not know which of the two there is. */
export type ObjectFolderQuestion =
  ({ readonly type: 'config-map' } & ObjectQuestion) | ({ readonly type: 'secret' } & ObjectQuestion);

export interface ObjectFolderProtocol {
  readonly command: ObjectFolderCommand;
  readonly question: ObjectFolderQuestion;
  readonly answers: {
    readonly 'config-map': ObjectAnswer<ConfigMapContent>;
    readonly secret: ObjectAnswer<SecretContent>;
  };
}

export const OBJECT_FOLDER: Address = 'object-folder';
