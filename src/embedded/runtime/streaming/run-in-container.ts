import type { Writable } from 'node:stream';
import type { Clock } from '../../../actor/clock.ts';
import type { Caller } from '../calls/caller.ts';
import type { CommandChannels, CommandStatus, TerminalSize } from './command-channels.ts';
import type { ContainerPlace } from './container-place.ts';
import { runCommand } from './simulated-commands.ts';
import { terminalOver } from './terminal.ts';

export const DEFAULT_SIZE: TerminalSize = { width: 80, height: 24 };

/** Runs a command with its streams, and returns how it ended. A scripted outcome comes first. */
export async function runInContainer(
  place: ContainerPlace,
  channels: CommandChannels,
  { cmd, tty, clock }: { readonly cmd: readonly string[]; readonly tty: boolean; readonly clock: Clock },
): Promise<CommandStatus> {
  const caller: Caller = { whenGone: (leave) => channels.gone.addEventListener('abort', leave) };
  const scripted = place.scripted(cmd, caller);
  if (scripted !== undefined) {
    const { code, text } = await scripted;
    if (text !== '') channels.stdout.write(text);
    return { type: 'exited', code };
  }
  let size = DEFAULT_SIZE;
  channels.onResize((now) => (size = now));
  const interrupted = new AbortController();
  const terminal = tty ? terminalOver(channels.stdin, channels.stdout, () => interrupted.abort()) : undefined;
  const stdout = terminal?.stdout ?? channels.stdout;
  const code = await runCommand(cmd, {
    stdin: terminal?.stdin ?? channels.stdin,
    stdout,
    stderr: terminal?.stdout ?? channels.stderr,
    env: place.env,
    hostname: place.hostname,
    clock,
    terminal: tty ? () => size : undefined,
    signal: AbortSignal.any([place.ended, channels.gone, interrupted.signal]),
  });
  if (terminal !== undefined) await untilShown(stdout);
  return { type: 'exited', code: interrupted.signal.aborted ? INTERRUPTED : code };
}

/** The exit code of a shell after Ctrl-C. */
export const INTERRUPTED = 130;

/** Pending terminal output is shown before the exit status. */
export const untilShown = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    stream.once('end', resolve);
    stream.end();
  });

/**
 * Shows the container's log output while it runs and the client is connected. Its input is ignored: see
 * `interactive-process.ts` for containers that read it.
 */
export function attachTo(place: ContainerPlace, channels: CommandChannels): Promise<CommandStatus> {
  channels.stdin?.resume();
  place.onLog((text) => void channels.stdout.write(`${text.replace(/\n$/, '')}\n`));
  return new Promise((resolve) => {
    const over = AbortSignal.any([place.ended, channels.gone]);
    const end = (): void => resolve({ type: 'exited', code: 0 });
    if (over.aborted) end();
    over.addEventListener('abort', end);
  });
}
