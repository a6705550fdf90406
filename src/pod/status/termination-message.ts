import { fnv1a32 } from '../../kube/text/fnv-hash.ts';
import { TERMINATION_MESSAGE_PATH_ANNOTATION, TERMINATION_MESSAGE_POLICY_ANNOTATION } from '../values/pod-labels.ts';

/** The limits of a termination message, in bytes, and of the log's end that may replace it, in bytes and lines. */
export const TERMINATION_MESSAGE_BYTES = 4096;
const LOG_BYTES = 2048;
const LOG_LINES = 80;
/** How many bytes at the end of a log file hold the last lines, with their time stamps. */
export const LOG_TAIL_BYTES = 16 * 1024;

/**
 * Returns the file name of one start's termination message: eight hexadecimal digits, derived from the start. A reader
 * needs no record of the name, not even after a restart of the agent.
 */
export const terminationFileName = (uid: string, container: string, restartCount: number): string =>
  fnv1a32(`${uid}/${container}/${restartCount}`).toString(16).padStart(8, '0');

/** The sources to read for a container's termination message. */
export interface TerminationMessageSources {
  readonly file: boolean;
  /** The log is read only when the file is empty. */
  readonly log: boolean;
}

/** Decides by the annotations that the container was created with, because its pod may be unknown by now. */
export function terminationMessageSources(ended: {
  readonly exitCode: number;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
}): TerminationMessageSources {
  const file = (ended.annotations[TERMINATION_MESSAGE_PATH_ANNOTATION] ?? '') !== '';
  // A container that could not be run has not logged anything.
  const log =
    ended.annotations[TERMINATION_MESSAGE_POLICY_ANNOTATION] === 'FallbackToLogsOnError' &&
    ended.exitCode !== 0 &&
    ended.reason !== 'ContainerCannotRun';
  return { file, log };
}

/** Joins the runtime's message and the container's own, as the status shows them. */
export const wholeMessage = (fromRuntime: string, fromContainer: string): string =>
  fromContainer === '' ? fromRuntime : fromRuntime === '' ? fromContainer : `${fromRuntime}: ${fromContainer}`;

/** Returns the last lines of a log file in CRI format: `<time> <stream> <P or F> <text>`. */
export function lastLogLines(tail: string): string {
  const lines = tail.split('\n').flatMap((line) => {
    const [, partial, text] = /^\S+ (?:stdout|stderr) (P|F)\S* (.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    return [partial === 'P' ? text : `${text}\n`];
  });
  const bytes = Buffer.from(lines.slice(-LOG_LINES).join(''));
  return new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - LOG_BYTES)));
}
