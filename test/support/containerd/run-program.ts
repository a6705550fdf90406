import { spawn } from 'node:child_process';

/** Runs a program to its end and returns its output. Rejects, quoting its error output, if it exits non-zero. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly input?: string | Buffer; readonly timeoutMs?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { timeout: options.timeoutMs ?? 30_000, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // A program that ends before it has read its input breaks the pipe; its exit code tells the story.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${file} ${args.join(' ')} ended with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
}
