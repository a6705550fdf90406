import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { waitUntil } from './containerd/wait-until.ts';

/** A shell command in a terminal that the test types at. */
export interface TypedTerminal {
  readonly child: ChildProcess;
  readonly type: (text: string) => void;
  /** Waits for something to be shown, of all that was shown so far. */
  readonly shows: (what: RegExp) => Promise<string>;
  /** The exit code of the line. */
  readonly ended: Promise<unknown>;
}

/** Opens a terminal with `script` of util-linux; its first line is `shell`. */
export function typedTerminal(shell: string, env: Readonly<Record<string, string | undefined>>): TypedTerminal {
  const child = spawn('script', ['-qec', shell, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const stdin: Writable = child.stdin;
  let shown = '';
  child.stdout.on('data', (piece: Buffer) => (shown += piece.toString()));
  return {
    child,
    type: (text) => void stdin.write(text),
    shows: (what) =>
      waitUntil(async () => what.exec(shown)?.[0] ?? false, {
        what: () => `it shows ${what}, and showed ${JSON.stringify(shown)}`,
        withinMs: 15_000,
        everyMs: 20,
      }),
    ended: once(child, 'close').then(([code]) => code),
  };
}
