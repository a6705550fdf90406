import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../../../src/agent/settings.ts';
import { AdminClient } from '../../../src/cli/admin/admin-client.ts';
import { adminSocketPath } from '../../../src/cli/admin/admin-socket.ts';
import { runProgram } from '../containerd/run-program.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import type { AgentFolder } from './agent-folder.ts';

const MAIN_SCRIPT = join(import.meta.dirname, '../../../src/main.ts');
export const NODE_NAME = 'node-a';
const READY_WITHIN_MS = 30_000;

export interface AgentOptions {
  readonly folder: AgentFolder;
  /** The endpoint of the container runtime. */
  readonly endpoint: string;
  /** `yes`: with the process that starts the agent again. */
  readonly launcher?: 'yes' | 'no';
  readonly verbosity?: number;
  /** `standard` by default, whose threads tests know by name. */
  readonly profile?: Profile;
  /** `folder`: those in the agent's folder. */
  readonly objects?: 'none' | 'folder';
  /** Programs that know logins of registries, and their configuration. */
  readonly credentialProviders?: { readonly config: string; readonly binDir: string };
  /** Set for a node of a cluster. */
  readonly kubeconfig?: string;
  /** The limit of the agent itself, as `--memory-limit`. */
  readonly memoryLimit?: string;
  /** `node-a` by default. */
  readonly nodeName?: string;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** `hivelet run` as a process. It ends when the process of the test does, however that went. */
export class AgentProcess {
  readonly folder: AgentFolder;
  readonly admin: AdminClient;
  /** Instant on the scale of `performance.now()`. */
  readonly startedAt: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;

  private constructor(folder: AgentFolder, child: ChildProcess) {
    this.folder = folder;
    this.#child = child;
    this.startedAt = performance.now();
    this.admin = new AdminClient(adminSocketPath(folder.rootDir));
    this.ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  }

  /** Starts it, and does not wait for anything. */
  static spawn(options: AgentOptions): AgentProcess {
    const {
      folder,
      endpoint,
      launcher = 'no',
      verbosity = 2,
      profile = 'standard',
      objects = 'none',
      kubeconfig,
      nodeName = NODE_NAME,
    } = options;
    const log = openSync(folder.logFile, 'a');
    const args: string[] = ['run', '--enable-fault-injection', `--v=${verbosity}`, '--logging-format=json'];
    args.push('--container-runtime-endpoint', endpoint, '--root-dir', folder.rootDir);
    args.push('--pod-manifest-path', folder.manifests, '--config', folder.configFile);
    args.push('--hostname-override', nodeName, '--profile', profile);
    if (objects === 'folder') args.push('--objects-dir', folder.objects);
    if (options.memoryLimit !== undefined) args.push('--memory-limit', options.memoryLimit);
    const providers = options.credentialProviders;
    if (providers !== undefined) {
      args.push('--image-credential-provider-config', providers.config);
      args.push('--image-credential-provider-bin-dir', providers.binDir);
    }
    // Certificates are kept with all else of the agent: its default is a folder of the machine.
    if (kubeconfig !== undefined) args.push('--kubeconfig', kubeconfig, '--cert-dir', join(folder.dir, 'pki'));
    if (launcher === 'no') args.push('--no-launcher');
    // The channel closes when this process ends, and the agent with it.
    const child = spawn(process.execPath, [MAIN_SCRIPT, ...args], { stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    return new AgentProcess(folder, child);
  }

  /** Starts it, and waits until it is ready. */
  static async start(options: AgentOptions): Promise<AgentProcess> {
    const agent = AgentProcess.spawn(options);
    try {
      await agent.ready();
      return agent;
    } catch (error) {
      await agent.kill();
      throw error;
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the agent has no process id');
    return this.#child.pid;
  }

  /** Until its admin socket answers every question. Returns how long after its start that was, in milliseconds. */
  async ready(): Promise<number> {
    const answers = async (): Promise<boolean> => {
      if (this.hasEnded()) throw new Error(`the agent ended while starting; see ${await this.#lastLines()}`);
      return this.admin.pods().then(
        () => true,
        () => false,
      );
    };
    await waitUntil(answers, { what: 'the agent answers', withinMs: READY_WITHIN_MS });
    return performance.now() - this.startedAt;
  }

  hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** `kill -9`. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    if (!this.hasEnded()) await this.ended;
  }

  /** SIGTERM. */
  async stop(): Promise<ProcessEnd & { readonly tookMs: number }> {
    const asked = performance.now();
    this.#child.kill('SIGTERM');
    const end = await this.ended;
    return { ...end, tookMs: performance.now() - asked };
  }

  async #lastLines(): Promise<string> {
    return (await this.folder.log())
      .slice(-5)
      .map((line) => JSON.stringify(line))
      .join('\n');
  }
}

/** Runs `hivelet` with these arguments to its end, against the agent of this folder; returns its output. */
export const hivelet = (folder: Pick<AgentFolder, 'rootDir'>, ...args: readonly string[]): Promise<string> =>
  runProgram(process.execPath, [MAIN_SCRIPT, ...args, '--root-dir', folder.rootDir]);
