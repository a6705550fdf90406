import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { EmbeddedApiServer } from '../../embedded/apiserver/serve.ts';
import type { Program } from '../program-context.ts';
import { onStopSignal } from '../../agent/stop-signals.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { tellParent } from '../tell-parent.ts';

interface ApiServerOptions {
  readonly kubeconfig: string;
  readonly port?: number;
  readonly dataDir?: string;
  readonly node?: string;
  readonly nodeKubeconfig?: string;
  readonly authorityFile?: string;
}

/** The notice to the parent process once the API accepts requests. */
export interface ApiServerNotice {
  readonly type: 'apiserver-ready';
  readonly address: string;
}

/** `hivelet apiserver`: the embedded API server on its own. */
export function apiServerCommand(program: Program): Command {
  return new Command('apiserver')
    .summary('serve a small Kubernetes API on a loopback address')
    .description(
      'Serves the part of the Kubernetes API that nodes and kubectl need, for development, tests and benchmarks. It is not a ' +
        'control plane: it has no controllers, a scheduler that only picks the first ready node, no policy except roles ' +
        '(RBAC), and keeps everything in memory.',
    )
    .requiredOption('--kubeconfig <file>', 'kubeconfig to write, with full access for kubectl')
    .option('--port <n>', 'the port to listen on; by default any free port', portNumber)
    .option('--data-dir <folder>', 'folder that keeps objects from run to run; changes of the last seconds may be lost')
    .option('--node <name>', 'name of the node that --node-kubeconfig is for')
    .option('--node-kubeconfig <file>', 'kubeconfig to write, for an agent that runs as that node')
    .option(
      '--authority-file <file>',
      'certificate of the client CA to write, for the clientCAFile setting of the node agent',
    )
    .action(async (options: ApiServerOptions) => {
      const { terminal, leave } = program;
      if ((options.node === undefined) !== (options.nodeKubeconfig === undefined))
        throw new UserError('--node and --node-kubeconfig must be given together');
      const stopped = new Promise<void>((done) => onStopSignal(['SIGINT', 'SIGTERM'], () => done()));
      const server = await serve(options, program);
      await writeFiles(server, options);
      terminal.write(
        `embedded API server listening on ${server.address}\nkubectl --kubeconfig ${resolve(options.kubeconfig)} get nodes\n`,
      );
      const notice: ApiServerNotice = { type: 'apiserver-ready', address: server.address };
      tellParent(notice);
      await stopped;
      await server.close();
      leave(0);
    });
}

async function serve(
  { port, dataDir }: ApiServerOptions,
  { clock, random, terminal }: Program,
): Promise<EmbeddedApiServer> {
  const { serveEmbeddedApi } = await import('../../embedded/apiserver/serve.ts');
  try {
    return await serveEmbeddedApi({
      clock,
      random,
      ...(port !== undefined && { port }),
      ...(dataDir !== undefined && { dataDir: resolve(dataDir) }),
      snapshotFailed: (error) => terminal.complain(`writing the snapshot failed (${messageOf(error)}); trying again\n`),
    });
  } catch (error) {
    throw new UserError(`the embedded API server cannot start: ${messageOf(error)}`);
  }
}

async function writeFiles(server: EmbeddedApiServer, options: ApiServerOptions): Promise<void> {
  const { administrator } = await import('../../embedded/apiserver/serve.ts');
  const { kubeconfig } = await import('../../embedded/apiserver/kubeconfig.ts');
  const authority = server.authority.certificate;
  const kubeconfigOf = async (user: typeof administrator): Promise<string> =>
    kubeconfig({ server: server.address, authority, user: await server.credentials(user) });
  const write = (file: string, text: string): void => {
    const path = resolve(file);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
    } catch (error) {
      throw new UserError(`cannot write ${path}: ${messageOf(error)}`);
    }
  };
  if (options.authorityFile !== undefined) write(options.authorityFile, authority);
  write(options.kubeconfig, await kubeconfigOf(administrator));
  if (options.node !== undefined && options.nodeKubeconfig !== undefined) {
    const node = { username: `system:node:${options.node}`, groups: ['system:nodes'] };
    write(options.nodeKubeconfig, await kubeconfigOf(node));
  }
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UserError(`--port takes a number up to 65535, not ${text}`);
  return port;
}
