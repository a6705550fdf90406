import { own } from '../../kube/text/own.ts';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isStreamEndpoint } from '../endpoints.ts';
import { judge, type ServerContext } from '../access/judge-request.ts';
import { openStream } from './open-stream.ts';
import { count } from '../serve-request.ts';
import { proxyStream } from './stream-proxy.ts';
import { refuseUpgradeWith } from './upgrade-head.ts';

/** A connection that asks to become a stream. */
export interface StreamConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Opens a stream of the runtime for an authorized client and connects the two. Never rejects. */
export async function serveStream(asked: StreamConnection, situation: ServerContext): Promise<void> {
  try {
    await open(asked, situation);
  } catch (error) {
    situation.tools.warn({ error: String(error) }, 'cannot open a stream to the runtime; answering 500');
    refuseStream(asked.socket, 500, 'Internal Server Error');
  }
}

async function open({ request, socket, head }: StreamConnection, situation: ServerContext): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  count(request, socket, situation);
  const verdict = await judge(request, gone.signal, situation);
  if (verdict.type === 'refused') {
    const { reply } = verdict;
    return refuseStream(socket, reply.type === 'text' ? reply.status : 500, reply.type === 'text' ? reply.text : '');
  }
  const { endpoint } = verdict.request;
  if (!isStreamEndpoint(endpoint)) return refuseStream(socket, 400, `${endpoint} is no stream\n`);
  if (request.headers.upgrade?.toLowerCase() === 'websocket') situation.tools.metrics?.webSocket(endpoint);
  const opened = await openStream({ ...verdict.request, endpoint }, situation.tools.node);
  if (!opened.ok) return refuseStream(socket, opened.status, `${opened.problem}\n`);
  const { failed } = await proxyStream(request, socket, {
    url: opened.url,
    idleMs: situation.settings.streamIdleMs,
    clock: situation.tools.clock,
    peers: situation.tools.peers,
    head,
  });
  if (failed !== undefined) refuseStream(socket, 502, `the runtime's stream cannot be reached: ${failed}\n`);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  502: 'Bad Gateway',
};

/** Answers on a bare connection, and closes it. */
export function refuseStream(socket: Duplex, status: number, text: string): void {
  refuseUpgradeWith(socket, {
    status,
    reason: reasons[status] ?? 'Internal Server Error',
    contentType: 'text/plain; charset=utf-8',
    text,
    headers: status === 429 ? ['Retry-After: 1'] : [],
  });
}

const problems: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers a malformed request. Sends nothing when the client does not speak HTTP, or when an answer is in flight. */
export function refuseMalformed(socket: Duplex, error: NodeJS.ErrnoException, isAnswering: boolean): void {
  const { code = '' } = error;
  const isHttp = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
  if (!isHttp || isAnswering || !socket.writable) return void socket.destroy();
  const status = own(problems, code) ?? 400;
  refuseStream(socket, status, `${status} ${reasons[status] ?? ''}\n`);
}
