/** How an operator hears of a failure, or within which bound the failure heals by itself. */
export type Hearing =
  /** A failing duty: log line, `/healthz/duties`, metric, and the message of the Ready condition. */
  | { readonly by: 'duty'; readonly text: string }
  /** A part of a log line. */
  | { readonly by: 'log'; readonly text: string }
  /** The reason of an event. */
  | { readonly by: 'event'; readonly text: string }
  | { readonly by: 'metric'; readonly text: string }
  /** A reason, condition or message in the status of a pod or of the node. */
  | { readonly by: 'status'; readonly text: string }
  | { readonly by: 'endpoint'; readonly text: string }
  /** The answer to the question. The asking actor has a row of its own. */
  | { readonly by: 'answer'; readonly text: string }
  /** The constant or setting that bounds the time until the failure is healed. */
  | { readonly by: 'heals'; readonly text: string }
  /** Nothing is lost, and nothing has to heal: the reason. */
  | { readonly by: 'lossless'; readonly text: string };

export interface Failure {
  readonly heard: readonly Hearing[];
  /** A test that shows it: its file below `test`, and its title or the beginning of its title. */
  readonly shown: readonly [file: string, title: string];
}

/** By the beginning of the README's sentence. */
export type Failures = Readonly<Record<string, Failure>>;

export const duty = (text: string): Hearing => ({ by: 'duty', text });
export const log = (text: string): Hearing => ({ by: 'log', text });
export const event = (text: string): Hearing => ({ by: 'event', text });
export const metric = (text: string): Hearing => ({ by: 'metric', text });
export const status = (text: string): Hearing => ({ by: 'status', text });
export const endpoint = (text: string): Hearing => ({ by: 'endpoint', text });
export const answer = (text: string): Hearing => ({ by: 'answer', text });
export const heals = (text: string): Hearing => ({ by: 'heals', text });
export const lossless = (text: string): Hearing => ({ by: 'lossless', text });

export const CRASHED = log('actor crashed; its supervisor decides on a restart');
export const THREAD_ENDED = log('thread ended; flight lists the last messages read on it');
