import { addressOf } from '../../src/actor/messages/message.ts';
import type { ParsedPodList } from '../../src/jobs/parse-pod-list.ts';

/** The result of a request to the URL. */
export type FetchedManifest =
  { readonly ok: true; readonly body: string } | { readonly ok: false; readonly problem: string };

/** Commands from other actors. */
export type PodSourceHttpCommand =
  /** From a restarted pod manager: send all pods again. */
  { readonly type: 'send-all' };

/** The source's own reports: requests and jobs that have ended. */
export type PodSourceHttpReport =
  | { readonly type: 'fetched'; readonly manifest: FetchedManifest }
  | { readonly type: 'parsed'; readonly body: string; readonly list: ParsedPodList };

/** The source's own timers. */
export type PodSourceHttpTimer =
  /** Time to send the session's current number, by which the pod manager detects lost messages. */
  | { readonly type: 'heartbeat-due' }
  /** Time to request the URL again. */
  | { readonly type: 'poll' };

export interface PodSourceHttpProtocol {
  readonly command: PodSourceHttpCommand | PodSourceHttpReport | PodSourceHttpTimer;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_HTTP = addressOf<PodSourceHttpProtocol>('pod-source-http');
