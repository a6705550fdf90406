import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The kubectl programs under test: those in `HIVELET_KUBECTL`, joined as in PATH, or else the one in PATH. */
export function kubectlPrograms(): readonly string[] {
  const named = process.env['HIVELET_KUBECTL'];
  if (named !== undefined) return named.split(delimiter);
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [folders.map((folder) => join(folder, 'kubectl')).find(isExecutable) ?? 'kubectl'];
}

/**
 * For `describe.skipIf`: returns `true`, with a printed message, if a suite that needs kubectl is skipped here. Never
 * with HIVELET_E2E=required.
 */
export function skipWithoutKubectl(suite: string): boolean {
  if (kubectlPrograms().every(isExecutable) || process.env['HIVELET_E2E'] === 'required') return false;
  process.stderr.write(
    `\nWARNING: NOT RUN: "${suite}" needs kubectl. On Debian, .ci/install-packages (as root) brings it. ` +
      `HIVELET_E2E=required makes this a failure.\n`,
  );
  return true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface LoggedLine {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A kubectl with a kubeconfig and a home of its own. */
export class Kubectl {
  readonly folder = mkdtempSync(join(tmpdir(), 'hivelet-kubectl-'));
  readonly #program: string;
  readonly #kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  /** Writes a file beside it; answers with its path. */
  file(name: string, content: unknown): string {
    const path = join(this.folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o755 });
    return path;
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<LoggedLine> {
    return new Promise((resolve) => {
      execFile(this.#program, args, { env: this.#env(env), timeout: 60_000 }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        // A wrapper that chooses a program by version may print a line about versions.
        const told = err.split('\n').filter((line) => !line.includes('version difference between client'));
        resolve({ code, out, err: told.join('\n').trim() });
      });
    });
  }

  /** Runs kubectl with these arguments and returns its output. Throws if it fails. */
  async ok(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.run(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${err || out}`);
    return out.trim();
  }

  /** Runs a kubectl command that must fail, and returns its error output. */
  async fails(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.run(args);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')} did not fail: ${out}`);
    return err;
  }

  /** Starts a kubectl command that runs until it is killed. */
  start(...args: readonly string[]): ChildProcess {
    return spawn(this.#program, args, { env: this.#env({}), stdio: ['ignore', 'pipe', 'inherit'] });
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }

  #env(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.folder, KUBECONFIG: this.#kubeconfig, ...more };
  }
}
