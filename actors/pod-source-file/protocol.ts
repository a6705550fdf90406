import type { Address } from '../../src/actor/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';

/** What the file source can be told. */
export type PodSourceFileCommand =
  /** Of a pod manager that starts anew: say everything again. */
  | { readonly type: 'send-all' }
  /** Its own timer: look at every file. */
  | { readonly type: 'poll' }
  /** The file system says that something about this name has changed. */
  | { readonly type: 'name-changed'; readonly name: string }
  | { readonly type: 'listed'; readonly listing: Listing }
  | {
      readonly type: 'parsed';
      readonly outcomes: readonly ParseOutcome[];
      readonly signatures: ReadonlyMap<string, string>;
    };

/** A look at the folder (or the one file) of static pods. `signature` changes whenever the content may have. */
export type Listing =
  | { readonly ok: true; readonly files: ReadonlyMap<string, string>; readonly directories: readonly string[] }
  | { readonly ok: false; readonly problem: string };

export interface PodSourceFileProtocol {
  readonly command: PodSourceFileCommand;
  readonly question: never;
  readonly answers: Record<never, never>;
}

export const POD_SOURCE_FILE: Address = 'pod-source-file';

/** What a pod source tells the pod manager: one message holds only what has changed. */
export interface PodSourceChange {
  readonly type: 'source-changed';
  readonly source: 'file';
  readonly set: readonly Pod[];
  readonly gone: readonly PodUid[];
  /** The source has said all there is at least once: what it has not named, it does not want. */
  readonly complete: boolean;
}
