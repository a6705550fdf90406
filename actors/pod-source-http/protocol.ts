import { addressOf } from '../../src/actor/messages/message.ts';
import type { ParsedPodList } from '../../src/jobs/parse-pod-list.ts';

/** What a look at the URL gave. */
export type FetchedManifest =
  { readonly ok: true; readonly body: string } | { readonly ok: false; readonly problem: string };

/** What the HTTP source can be told. */
export type PodSourceHttpCommand =
  /** Of a pod manager that starts anew: say everything again. */
  | { readonly type: 'send-all' }
  /** Its own. */
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
