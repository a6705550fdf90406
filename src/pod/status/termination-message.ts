import { fnv1a32 } from '../../kube/text/fnv-hash.ts';
import { TERMINATION_MESSAGE_PATH_ANNOTATION, TERMINATION_MESSAGE_POLICY_ANNOTATION } from '../values/pod-labels.ts';

/** How much a container may say in its termination message, and in the end of its log in the place of one (bytes, lines). */
export const TERMINATION_MESSAGE_BYTES = 4096;
const LOG_BYTES = 2048;
const LOG_LINES = 80;
/** As much of a log file as may hold the last lines, their time stamps included. */
export const LOG_TAIL_BYTES = 16 * 1024;

/**
 * The name of the file that one start of a container leaves its message in: eight hexadecimal digits that follow from which
 * start it is, so that whoever looks for the message, after a restart of the agent too, needs no record of it.
 */
export const terminationFileName = (uid: string, container: string, restartCount: number): string =>
  fnv1a32(`${uid}/${container}/${restartCount}`).toString(16).padStart(8, '0');

/** What of a container's last words must be read. */
export interface LastWordsWanted {
  readonly file: boolean;
  /** Only when the file is empty. */
  readonly log: boolean;
}

/** Follows from the annotations that the container was made with, for its pod may be unknown by now. */
export function lastWordsWanted(ended: {
  readonly exitCode: number;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
}): LastWordsWanted {
  const file = (ended.annotations[TERMINATION_MESSAGE_PATH_ANNOTATION] ?? '') !== '';
  // A container that could not be run has logged nothing of its own.
  const log =
    ended.annotations[TERMINATION_MESSAGE_POLICY_ANNOTATION] === 'FallbackToLogsOnError' &&
    ended.exitCode !== 0 &&
    ended.reason !== 'ContainerCannotRun';
  return { file, log };
}

/** The runtime's message and the container's own, as the status shows them. */
export const wholeMessage = (fromRuntime: string, fromContainer: string): string =>
  fromContainer === '' ? fromRuntime : fromRuntime === '' ? fromContainer : `${fromRuntime}: ${fromContainer}`;

/** What was logged last, from the end of a log file in the format of CRI: `<time> <stream> <P or F> <text>`. */
export function lastLogLines(tail: string): string {
  const lines = tail.split('\n').flatMap((line) => {
    const [, partial, text] = /^\S+ (?:stdout|stderr) (P|F)\S* (.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    return [partial === 'P' ? text : `${text}\n`];
  });
  const bytes = Buffer.from(lines.slice(-LOG_LINES).join(''));
  return new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - LOG_BYTES)));
}
