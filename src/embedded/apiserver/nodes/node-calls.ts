import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { ApiCore } from '../store/api-core.ts';
import type { KeyPair } from '../subresources/certificate-authority.ts';
import type { NodeCalls } from '../http/http-server.ts';
import { nodeRequest, type NodeRequest } from './node-request.ts';
import { badRequest, notFound, Refusal } from '../store/refusal.ts';
import { refuseUpgrade } from '../http/refuse-upgrade.ts';
import { parseResourcePath } from '../http/request-path.ts';
import { nodeSubresources } from '../subresources/subresources.ts';
import { systemClock } from '../../../actor/clock.ts';
import { hostReader } from '../../../host/host-reader.ts';
import { kernelPeers } from '../../../host/tcp-peers.ts';
import { joinStreams } from '../../../serving/streams/join-streams.ts';
import { halfOpen } from '../../../serving/streams/half-open.ts';

/** Credentials are checked at this server: they are not forwarded to the node. */
const own = new Set(['authorization', 'cookie', 'host']);
/** Headers of one connection only; the next connection has its own. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'content-length']);
const CONNECT_WITHIN_MS = 10_000;
const LONGEST_ERROR = 64 * 1024;

/**
 * Forwards calls to the servers of nodes, with a client certificate of the API server's authority. A node's serving
 * certificate is not verified, as by an API server without a kubelet authority.
 */
export function callNodes(core: ApiCore, client: KeyPair): NodeCalls {
  const tls = { cert: client.certificate, key: client.key, rejectUnauthorized: false };
  return {
    request({ request, response, method, body }) {
      const target = targetOf(core, request.url);
      if (target instanceof Refusal) return writeStatus(response, target);
      if (target === undefined) return void response.writeHead(204).end();
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !own.has(name) && !ofConnection.has(name)),
      );
      const { host, port, path, podScheme } = target;
      const where = { host, port, path, method, headers, agent: false } as const;
      // The certificate is for nodes: it is not shown to a pod.
      const call =
        podScheme === undefined
          ? httpsRequest({ ...where, ...tls })
          : podScheme === 'https'
            ? httpsRequest({ ...where, rejectUnauthorized: false })
            : httpRequest(where);
      call.on('response', (answer) => passOn(answer, response, /\/log(\?|$)/.test(request.url ?? '')));
      call.on('error', (error) => unreachable(response, target, error));
      response.once('close', () => call.destroy());
      call.end(body.length === 0 ? undefined : body);
    },
    upgrade({ request, socket, head }) {
      const target = targetOf(core, request.url);
      if (target instanceof Refusal) return refuseUpgrade(socket, target);
      if (target === undefined) return refuseUpgrade(socket, badRequest('a log is not a stream'));
      passStream(request, socket, { target, tls, head });
    },
  };
}

function targetOf(core: ApiCore, url = ''): NodeRequest | Refusal | undefined {
  try {
    const named = parseResourcePath(url);
    if (named && nodeSubresources.has(`${named.resource}/${named.subresource}`)) return nodeRequest(core, named);
    return notFound({ group: '', resource: named?.resource ?? 'paths', name: named?.name ?? url });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Forwards the node's answer, piece by piece. A node's error about a log is converted to the API's form. */
function passOn(answer: IncomingMessage, raw: ServerResponse, isLog: boolean): void {
  const { statusCode = 502 } = answer;
  answer.on('error', () => raw.destroy());
  if (isLog && statusCode >= 400) {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => (text = (text + piece).slice(0, LONGEST_ERROR)));
    answer.on('end', () => writeStatus(raw, refusalOf(statusCode, text.trim())));
    return;
  }
  const headers = Object.entries(answer.headers).filter(
    ([name]) => !ofConnection.has(name) || name === 'content-length',
  );
  raw.writeHead(statusCode, Object.fromEntries(headers));
  raw.flushHeaders();
  answer.pipe(raw);
  // An answer that breaks off must not look complete.
  answer.on('close', () => !answer.complete && raw.destroy());
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
};

const refusalOf = (code: number, message: string): Refusal =>
  new Refusal({ code, reason: reasons[code] ?? 'InternalError', message });

function unreachable(raw: ServerResponse, target: NodeRequest, error: Error): void {
  if (raw.headersSent) return void raw.destroy();
  writeStatus(raw, unreachableNode(target, error));
}

const unreachableNode = ({ host, port }: NodeRequest, error: Error): Refusal =>
  refusalOf(502, `error dialing backend: ${host}:${port}: ${error.message}`);

function writeStatus(raw: ServerResponse, { status }: Refusal): void {
  if (raw.destroyed) return;
  raw.writeHead(status.code, { 'content-type': 'application/json' });
  raw.end(`${JSON.stringify(status)}\n`);
}

interface Joint {
  readonly target: NodeRequest;
  readonly tls: { readonly cert: string; readonly key: string; readonly rejectUnauthorized: boolean };
  readonly head: Buffer;
}

const peers = kernelPeers(hostReader, systemClock);

/**
 * Copies bytes in both directions once the node has switched protocols; the node limits idle time. Before that, and
 * after any other answer, no byte of the client goes to the node. The node reads this connection as requests of the
 * API server, which may do everything.
 */
function passStream(request: IncomingMessage, client: Duplex, { target, tls, head }: Joint): void {
  const { host, port, path, podScheme } = target;
  const own = podScheme === undefined ? tls : { rejectUnauthorized: false };
  const node =
    podScheme === 'http'
      ? connectPlainly({ host, port, ...halfOpen })
      : connect({ host, port, ...own, ...halfOpen, ALPNProtocols: ['http/1.1'] });
  Object.assign(client, halfOpen);
  node.setTimeout(CONNECT_WITHIN_MS, () => node.destroy(new Error('it does not answer')));
  node.once(podScheme === 'http' ? 'connect' : 'secureConnect', () => {
    node.setTimeout(0);
    node.setNoDelay(true);
  });
  const { method = 'GET' } = request;
  const call = httpRequest({ host, port, path, method, headers: switchHeaders(request), createConnection: () => node });
  const left = (): void => void call.destroy();
  client.once('close', left);
  call.on('error', (error) => refuseUpgrade(client, unreachableNode(target, error)));
  call.on('response', (answer) => {
    client.write(answerHead(answer, ['Connection: close']));
    answer.on('error', () => client.destroy());
    answer.pipe(client);
  });
  call.on('upgrade', (answer, socket, first) => {
    client.off('close', left);
    client.write(answerHead(answer));
    if (first.length > 0) client.write(first);
    if (head.length > 0) socket.write(head);
    void joinStreams(client, socket, { clock: systemClock, idleMs: 0, peers });
  });
  call.end();
}

/** The client's headers, each as often as it came. An upgrade has no body. */
function switchHeaders({ headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const passed = Object.entries(headersDistinct).filter(
    ([name]) => !own.has(name) && name !== 'content-length' && name !== 'transfer-encoding',
  );
  return Object.fromEntries(passed);
}

/** The head of a node's answer, unchanged; without connection headers if another server ends the connection. */
function answerHead({ statusCode = 502, statusMessage = '', rawHeaders }: IncomingMessage, instead?: string[]): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const isKept = instead === undefined || !ofConnection.has(name.toLowerCase());
    if (isKept) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  return `${[...lines, ...(instead ?? [])].join('\r\n')}\r\n\r\n`;
}
