import { spawn } from 'node:child_process';
import type { Clock } from '../actor/clock.ts';

/** A program that answers on its standard output and then ends. */
export interface BoundedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Standard input of the program. Empty when absent. */
  readonly input?: string;
  readonly withinMs: number;
  /** Limit of each of its two outputs. */
  readonly maxBytes: number;
}

export interface ProgramEnd {
  readonly output: string;
  /** Its standard error output. */
  readonly complaint: string;
  /** The reason why the output must not be used. `undefined` when the program succeeded. */
  readonly problem: string | undefined;
  /** `undefined` when the program did not start, or a signal ended it. */
  readonly code: number | undefined;
}

/**
 * Runs a foreign program. A program that takes too long or writes too much is killed with all its children. It leads
 * its own process group, because a surviving child would hold its outputs open. Never rejects.
 */
export function runBounded(program: BoundedProgram, clock: Pick<Clock, 'after'>): Promise<ProgramEnd> {
  const { command, args, env, input, withinMs, maxBytes } = program;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let problem: string | undefined;
    const stop = (why: string): void => {
      problem ??= why;
      killGroup(child.pid);
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const cancel = clock.after(withinMs, () => stop(`took longer than ${withinMs / 1000} s`));
    const texts = [child.stdout, child.stderr].map((stream) => {
      const parts: Buffer[] = [];
      let size = 0;
      stream?.on('data', (part: Buffer) => {
        size += part.length;
        if (size > maxBytes) stop(`wrote more than ${maxBytes} bytes`);
        else parts.push(part);
      });
      return (): string => Buffer.concat(parts).toString('utf8');
    });
    // A program that does not read its input is judged by its exit.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    const settle = (how: string | undefined, code?: number | null): void => {
      cancel();
      const [output = '', complaint = ''] = texts.map((text) => text());
      resolve({ output, complaint, problem: problem ?? how, code: code ?? undefined });
    };
    child.once('error', (error) => settle(`could not be started: ${error.message}`));
    child.once('close', (code, signal) =>
      settle(code === 0 ? undefined : `ended with ${signal ?? `exit code ${String(code)}`}`, code),
    );
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended already.
  }
}
