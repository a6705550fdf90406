import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../containerd/wait-until.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { podManifest } from './test-pods.ts';

const MAIN_SCRIPT = join(import.meta.dirname, '../../../src/main.ts');

/** `hivelet dev` as a process, with one static pod. It ends when the process of the test does, however that went. */
export class DevProcess implements ClusterUnderTest {
  readonly hasMetrics = true;
  readonly #dir: string;
  readonly #child: ChildProcess;
  #printed = '';

  private constructor(dir: string, child: ChildProcess) {
    this.#dir = dir;
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
  }

  /** Starts `hivelet dev` on a runtime, and waits for the printed kubeconfig. */
  static async start(runtimeEndpoint: string, more: readonly string[] = []): Promise<DevProcess> {
    const dir = await mkdtemp(join(tmpdir(), 'hvd-'));
    const pods = join(dir, 'pods');
    await mkdir(pods);
    await writeFile(join(pods, 'static.json'), JSON.stringify(podManifest('static')));
    const args = ['dev', '--root-dir', join(dir, 'root'), '--pods', pods];
    args.push('--container-runtime-endpoint', runtimeEndpoint, ...more);
    // The channel closes when this process ends, and `hivelet dev` with it.
    const child = spawn(process.execPath, [MAIN_SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const dev = new DevProcess(dir, child);
    await waitUntil(() => Promise.resolve(dev.#kubeconfig() !== undefined || child.exitCode !== null), {
      what: 'hivelet dev prints a kubeconfig',
      withinMs: 30_000,
    });
    return dev;
  }

  get kubeconfig(): string {
    const path = this.#kubeconfig();
    if (path === undefined) throw new Error(`hivelet dev has printed no kubeconfig: ${this.#printed}`);
    return path;
  }

  #kubeconfig(): string | undefined {
    return /kubectl --kubeconfig (\S+)/.exec(this.#printed)?.[1];
  }

  /** Root folder of its agent. */
  get rootDir(): string {
    return join(this.#dir, 'root');
  }

  /** Returns the log of its agent. */
  log(): Promise<string> {
    return readFile(join(this.rootDir, 'hivelet.log'), 'utf8');
  }

  /** Ctrl-C. Answers with its exit code. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGINT');
      await ended;
    }
    return this.#child.exitCode;
  }

  async discard(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
  }
}
