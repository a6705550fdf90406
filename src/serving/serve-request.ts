import { elapsedMs } from '../actor/clock.ts';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { splitTarget } from '../kube/text/split-target.ts';
import { answerRequest } from './answer-request.ts';
import { isStreamEndpoint } from './endpoints.ts';
import { judge, LONGEST_BODY, type ServerContext } from './access/judge-request.ts';
import { UnreadableLog } from './logs/read-container-log.ts';
import { errorReply, sendPieces, type Reply } from './reply.ts';

/** Answers a request in plain HTTP. Never rejects. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  situation: ServerContext,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  count(request, response, situation);
  const reply = await replyTo(request, gone.signal, situation).catch((error: unknown) =>
    // A client that leaves before the end of its body gets no answer, and is no failure of this server.
    error === request.errored ? undefined : failure(error, situation),
  );
  if (reply === undefined) return;
  // A long unread body is not drained for the sake of the next request.
  if (!request.complete && bodyLength(request) > LONGEST_BODY) response.shouldKeepAlive = false;
  await send(response, reply, situation);
}

/** The length that the client declares. */
const bodyLength = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

async function replyTo(request: IncomingMessage, signal: AbortSignal, situation: ServerContext): Promise<Reply> {
  const verdict = await judge(request, signal, situation);
  if (verdict.type === 'refused') return verdict.reply;
  const { endpoint } = verdict.request;
  if (isStreamEndpoint(endpoint)) return errorReply(400, 'Upgrade request required');
  return answerRequest({ ...verdict.request, endpoint }, situation.tools);
}

/** Counts a request from now on, until the carrier of its answer is closed. */
export function count(request: IncomingMessage, carrier: EventEmitter, { tools }: ServerContext): void {
  const { metrics, authenticator, clock } = tools;
  if (metrics === undefined) return;
  const { method = 'GET', url = '/' } = request;
  const server = authenticator === undefined ? 'readonly' : 'readwrite';
  const began = clock.monotonic();
  const answered = metrics.request({ method, path: splitTarget(url).path, server });
  carrier.once('close', () => answered(elapsedMs(began, clock.monotonic()) / 1000));
}

async function send(response: ServerResponse, answer: Reply, { tools }: ServerContext): Promise<void> {
  if (response.destroyed) return;
  if (answer.type === 'text') {
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': Buffer.byteLength(answer.text),
      'x-content-type-options': 'nosniff',
      ...answer.headers,
    });
    response.end(answer.text);
    return;
  }
  response.writeHead(200, {
    ...(answer.contentType !== undefined && { 'content-type': answer.contentType }),
    ...answer.headers,
  });
  try {
    await sendPieces(response, answer.pieces);
  } catch (error) {
    // The answer has begun: closing the connection is the only way to mark it incomplete.
    if (!(error instanceof UnreadableLog))
      tools.warn({ error: String(error) }, 'a response failed after it had begun; closing the connection');
    response.destroy();
  }
}

function failure(error: unknown, { tools }: ServerContext): Reply {
  tools.warn({ error: String(error) }, 'cannot answer a request; answering 500');
  return errorReply(500, 'Internal Server Error');
}
