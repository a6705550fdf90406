import type { ExecResult, Run, TermReaction } from '../../src/embedded/runtime/script/outcome.ts';

/** The scripted behaviour of one container instance, as far as a real process can follow it. */
export interface Behaviour {
  readonly run: Run;
  /** The behaviour on TERM; `err` is an error of the runtime. */
  readonly stop: TermReaction;
  /** The path of the container's termination message; `undefined` without one. */
  readonly terminationMessagePath: string | undefined;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const seconds = (ms: number): string => String(ms / 1_000);
/** A shell handles a signal at once while it waits, but only after a foreground command has ended. */
const pause = (ms: number): string => (ms > 0 ? `sleep ${seconds(ms)} & wait $!` : ':');
const writeLog = (log: string | undefined): string =>
  log === undefined ? ':' : `printf '%s\\n' ${quoted(log.replace(/\n$/, ''))}`;

/** More than a container with {@link OOM_LIMIT_BYTES} may use: the kernel kills its process. */
const TAKE_ALL_MEMORY = 'exec dd if=/dev/zero of=/dev/null bs=256M';
export const OOM_LIMIT_BYTES = 32n * 1024n * 1024n;
export const endsForMemory = ({ run }: Pick<Behaviour, 'run'>): boolean => run.reason === 'OOMKilled';

/** The file to which the test writes a container's exit code before it signals USR1. */
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

/** A script for a command in a container: a probe or a hook with that result. */
export const shellForExec = ({ action, delayMs, text }: ExecResult): string =>
  [delayMs > 0 ? `sleep ${seconds(delayMs)}` : ':', `printf %s ${quoted(text)}`, `exit ${action}`].join('\n');
