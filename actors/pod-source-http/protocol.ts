import { addressOf } from '../../src/actor/messages/message.ts';
import type { ParsedPodList } from '../../src/jobs/parse-pod-list.ts';

/** The result of a request to the URL. */
export type FetchedManifest =
  { readonly ok: true; readonly body: string } | { readonly ok: false; readonly problem: string };

/** Commands from other actors. */
export type PodSourceHttpCommand =
  /** From a restarted pod manager: send all pods again. */
  | { readonly type: 'send-all' }
  /** Time to send the session's current number, by which the pod manager detects lost messages. */
  | { readonly type: 'show-life' }
  | { readonly type: 'poll' }
  | { readonly type: 'fetched'; readonly manifest: FetchedManifest }
  | { readonly type: 'parsed'; readonly body: string; readonly list: ParsedPodList };

export interface PodSourceHttpProtocol {
  readonly command: PodSourceHttpCommand;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_HTTP = addressOf<PodSourceHttpProtocol>('pod-source-http');
