import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { assertNever } from '../../kube/text/assert-never.ts';
import type { AdminBackend } from './admin-backend.ts';
import type { AdminRequest } from './admin-route.ts';
import { isFaultRequest, readAdminTarget } from './admin-route.ts';
import type { AgentIdentity } from './admin-socket.ts';
import { claimAdminSocket } from './claim-admin-socket.ts';
import { messageOf } from '../../kube/text/message-of.ts';

export interface AdminServerOptions {
  readonly rootDir: string;
  readonly identity: AgentIdentity;
  /** `true` if faults may be injected through the socket. */
  readonly faultInjection: boolean;
}

/** The agent's socket. It also locks the root folder: while it listens, no second agent starts there. */
export interface AdminServer {
  readonly socketPath: string;
  /** Lets `backend` answer from now on. Earlier callers are asked to retry. */
  open(backend: AdminBackend): void;
  /** Closes and removes the socket. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain; charset=utf-8';
  readonly body: string;
}

/** Listens on the socket. Rejects with `RootDirInUse` if the root folder belongs to another agent. */
export async function serveAdmin(options: AdminServerOptions): Promise<AdminServer> {
  const socketPath = await claimAdminSocket(options.rootDir);
  let backend: AdminBackend | undefined;
  const server = createServer((request, response) => {
    const reply = async (): Promise<void> => {
      const asked = readAdminTarget(request.method ?? '', request.url ?? '/');
      const sent = asked?.type === 'apply-faults' ? await textOf(request) : '';
      const { status, type, body } = await answer(asked, { ...options, backend, sent });
      response.writeHead(status, { 'content-type': type, connection: 'close' });
      response.end(body);
    };
    void reply();
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    // The mask sets the mode together with the file, so that no other user can connect in between.
    const mask = process.umask(0o177);
    server.listen(socketPath, listening);
    process.umask(mask);
  });
  chmodSync(socketPath, 0o600);
  return {
    socketPath,
    open: (given) => (backend = given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const LONGEST_PLAN_BYTES = 256 * 1024;

/** Returns the body of a request. `undefined` when it is too long, or incomplete. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      // A request without an encoding yields buffers.
      const buffer = chunk as Buffer;
      bytes += buffer.length;
      if (bytes > LONGEST_PLAN_BYTES) return undefined;
      chunks.push(buffer);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface AnswerContext extends AdminServerOptions {
  readonly backend: AdminBackend | undefined;
  /** The body of the request. `undefined` when it was too long. */
  readonly sent: string | undefined;
}

const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: `${JSON.stringify(value)}\n`,
});
const text = (status: number, words: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: words.endsWith('\n') ? words : `${words}\n`,
});

/** Never rejects: a failure of the backend is an answer too. */
async function answer(asked: AdminRequest | undefined, context: AnswerContext): Promise<Answer> {
  const { backend, identity } = context;
  if (asked === undefined) return text(404, 'unknown request');
  if (asked.type === 'agent') return json(identity);
  if (backend === undefined) return text(503, 'the agent is still starting');
  if (isFaultRequest(asked) && !context.faultInjection) {
    return text(403, 'the agent runs without --enable-fault-injection, so no faults can be injected');
  }
  if (context.sent === undefined) return text(413, `a fault plan has at most ${LONGEST_PLAN_BYTES} bytes`);
  try {
    return await askBackend(asked, { backend, sent: context.sent });
  } catch (error) {
    return text(500, messageOf(error));
  }
}

async function askBackend(
  asked: Exclude<AdminRequest, { type: 'agent' }>,
  { backend, sent }: { readonly backend: AdminBackend; readonly sent: string },
): Promise<Answer> {
  switch (asked.type) {
    case 'pods':
      return json({ apiVersion: 'v1', kind: 'PodList', metadata: {}, items: await backend.pods() });
    case 'threads':
      return json(await backend.threads());
    case 'metrics':
      return text(200, await backend.metrics());
    case 'runtime':
      return json(await backend.runtime());
    case 'trace':
      return json({ trace: await backend.trace(asked.namespace, asked.name) });
    case 'faults':
      return json(await backend.listFaults());
    case 'apply-faults':
      return json(await backend.applyFaults(sent));
    case 'clear-faults':
      return json({ cleared: await backend.clearFaults(asked.id) });
    case 'crash-actor':
      return json({ found: await backend.crashActor(asked.address) });
    case 'provoke-thread':
      return json({ found: await backend.provokeThread(asked.thread, asked.how) });
    default:
      return assertNever(asked, 'admin request');
  }
}
