import { join } from 'node:path';
import { type EmbeddedProcess, startEmbeddedProcess } from './embedded-process.ts';

/** The embedded parts of a session. They run as separate processes, so that none shares the agent's event loops. */
export class EmbeddedParts {
  readonly #mainScript: string;
  readonly #rootDir: string;
  readonly #started: EmbeddedProcess[] = [];
  readonly #ended = Promise.withResolvers<string>();

  constructor(mainScript: string, rootDir: string) {
    this.#mainScript = mainScript;
    this.#rootDir = rootDir;
  }

  /** Resolves when one of them has ended, with its name and the reason. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  async startApi({
    nodeName,
    dataDir,
  }: {
    readonly nodeName: string;
    readonly dataDir: string | undefined;
  }): Promise<{ readonly kubeconfig: string; readonly nodeKubeconfig: string; readonly authorityFile: string }> {
    const kubeconfig = join(this.#rootDir, 'kubeconfig');
    const nodeKubeconfig = join(this.#rootDir, 'node.kubeconfig');
    const authorityFile = join(this.#rootDir, 'api-authority.crt');
    const files = ['--kubeconfig', kubeconfig, '--node', nodeName, '--node-kubeconfig', nodeKubeconfig];
    files.push('--authority-file', authorityFile);
    const data = dataDir === undefined ? [] : ['--data-dir', dataDir];
    await this.#start('the embedded API server', 'apiserver.log', ['apiserver', ...files, ...data]);
    return { kubeconfig, nodeKubeconfig, authorityFile };
  }

  async startRuntime(): Promise<{ readonly endpoint: string; readonly controlSocket: string }> {
    const socket = join(this.#rootDir, 'runtime.sock');
    await this.#start('the embedded runtime', 'runtime.log', ['runtime', '--socket', socket]);
    return { endpoint: `unix://${socket}`, controlSocket: `${socket}.control` };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.map((part) => part.stop()));
  }

  async #start(what: string, log: string, args: readonly string[]): Promise<void> {
    const mainScript = this.#mainScript;
    const part = await startEmbeddedProcess({ mainScript, args, log: join(this.#rootDir, log), what });
    this.#started.push(part);
    void part.ended.then((reason) => this.#ended.resolve(`${what} ended: ${reason}`));
  }
}
