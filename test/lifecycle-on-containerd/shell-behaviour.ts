import type { ExecResult, Run, TermReaction } from '../../src/embedded/runtime/script/outcome.ts';

/** What one instance of a container is to do, as far as a real process can do it. */
export interface Behaviour {
  readonly run: Run;
  /** What a real process does on TERM; `err` is the runtime's. */
  readonly stop: TermReaction;
  /** Where the container's termination message is read from; undefined: from nowhere. */
  readonly terminationMessagePath: string | undefined;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const seconds = (ms: number): string => String(ms / 1_000);
/** The shell handles a signal at once while it waits, and only after a command that it runs in the foreground. */
const pause = (ms: number): string => (ms > 0 ? `sleep ${seconds(ms)} & wait $!` : ':');
const writeLog = (log: string | undefined): string =>
  log === undefined ? ':' : `printf '%s\\n' ${quoted(log.replace(/\n$/, ''))}`;

/** More than a container with {@link OOM_LIMIT_BYTES} may have: the kernel ends a process that wants it. */
const TAKE_ALL_MEMORY = 'exec dd if=/dev/zero of=/dev/null bs=256M';
export const OOM_LIMIT_BYTES = 32n * 1024n * 1024n;
export const endsForMemory = ({ run }: Pick<Behaviour, 'run'>): boolean => run.reason === 'OOMKilled';

/** Where the stage writes the code with which a container is to exit, before it signals USR1. */
export const EXIT_CODE_FILE = '/exit-code';

/** A script for the first process of a container, for a shell with the applets of busybox. */
export function shellFor({ run, stop, terminationMessagePath }: Behaviour): string {
  const onTerm = typeof stop.action === 'number' ? `${pause(stop.delayMs)}; exit ${stop.action}` : '';
  const lines = [`trap ${quoted(onTerm)} TERM`, `trap 'exit $(cat ${EXIT_CODE_FILE})' USR1`];
  if (run.action === 'run') return [...lines, writeLog(run.log), 'while :; do sleep 1000 & wait $!; done'].join('\n');
  lines.push(pause(run.delayMs), writeLog(run.log));
  if (run.text !== '' && terminationMessagePath !== undefined) {
    lines.push(`printf %s ${quoted(run.text)} > ${quoted(terminationMessagePath)}`);
  }
  lines.push(endsForMemory({ run }) ? TAKE_ALL_MEMORY : `exit ${run.action}`);
  return lines.join('\n');
}

/** A script for a command that is run in a container: what a probe or a hook of that result does. */
export const shellForExec = ({ action, delayMs, text }: ExecResult): string =>
  [delayMs > 0 ? `sleep ${seconds(delayMs)}` : ':', `printf %s ${quoted(text)}`, `exit ${action}`].join('\n');
