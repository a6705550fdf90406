import { request as plainRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../actor/clock.ts';
import { dialErrorText, hostPort } from './dial-error.ts';
import { MAX_OUTPUT_BYTES } from './probe-outcome.ts';
import type { HttpTarget } from './probe-target.ts';
import { messageOf } from '../kube/text/message-of.ts';

export type HttpOutcome =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** At most `MAX_OUTPUT_BYTES` of the body. */
      readonly body: string;
    }
  /** The server did not answer; the message is for people. `plainServer`: the server does not speak TLS. */
  | { readonly type: 'failed'; readonly message: string; readonly plainServer: boolean }
  /** The request cannot be made as specified. */
  | { readonly type: 'invalid'; readonly message: string };

export interface HttpOptions {
  /** For everything, redirects included. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** Go's HTTP client accepts as much. Node's default is 16 KiB. */
const MAX_HEADER_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Makes one GET as probes and hooks do: no proxy, no compression, certificates not verified. The request has a
 * connection of its own, which is reset after the answer. Redirects are followed on the same host only; a redirect
 * elsewhere is the answer.
 */
export function httpGet(target: HttpTarget, options: HttpOptions): Promise<HttpOutcome> {
  const { clock, timeoutMs } = options;
  return new Promise((resolve) => {
    const began = new URL(urlOf(target));
    let drop = (): void => {};
    const end = (outcome: HttpOutcome): void => {
      cancel();
      // The first outcome counts: errors caused by dropping the connection are ignored.
      resolve(outcome);
      drop();
    };
    const cancel = clock.after(timeoutMs, () =>
      end(failed(began, 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
    );
    const follow = (url: URL, redirects: number): void => {
      drop = exchange(url, { target, options, answered });
      function answered(result: Exchange): void {
        if (result.type !== 'answered') return end(result);
        const { status, location } = result;
        if (!REDIRECTS.has(status) || location === undefined) return end(result);
        const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
        if (next === undefined || next.hostname !== began.hostname) return end(result);
        if (redirects >= MAX_REDIRECTS) return end(failed(next, `stopped after ${MAX_REDIRECTS} redirects`));
        drop();
        follow(next, redirects + 1);
      }
    };
    follow(began, 0);
  });
}

type Exchange = Exclude<HttpOutcome, { type: 'answered' }> | (HttpAnswer & { readonly location: string | undefined });
type HttpAnswer = Extract<HttpOutcome, { type: 'answered' }>;

interface ExchangeInput {
  readonly target: HttpTarget;
  readonly options: HttpOptions;
  readonly answered: (result: Exchange) => void;
}

/** Makes one request and reads its answer. The returned function drops the connection. */
function exchange(url: URL, { target, options, answered }: ExchangeInput): () => void {
  const isTls = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const common = {
    hostname,
    port,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: headersOf(target, options.userAgent),
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  try {
    const serverName = isIP(hostname) === 0 ? hostname : '';
    const request = isTls
      ? tlsRequest({
          ...common,
          agent: false,
          rejectUnauthorized: false,
          servername: serverName,
        })
      : // With a connection made here no agent has a say in it.
        plainRequest({ ...common, createConnection: () => resettingSocket(hostname, port) });
    request.on('response', (response) => readAnswer(response, answered));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const plainServer = isTls && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
      const text = plainServer
        ? 'http: server gave HTTP response to HTTPS client'
        : dialErrorText(error, hostname, port);
      answered({ ...failed(url, text), plainServer });
    });
    request.end();
    return () => {
      // The request is unanswered or cut short: later errors of it are ignored.
      request.on('error', () => {});
      if (!isTls && request.socket !== null && !request.socket.connecting) request.socket.destroySoon();
      request.destroy();
    };
  } catch (error) {
    answered({ type: 'invalid', message: messageOf(error) });
    return () => {};
  }
}

/**
 * A connection that is reset where the library would close it. Closing leaves the socket in TIME_WAIT for a minute;
 * thousands of probes a second would use up the ports of the node. TLS sockets cannot be reset.
 */
function resettingSocket(host: string, port: number): Socket {
  const socket = connect({ host, port, autoSelectFamily: false });
  socket.destroySoon = () => {
    if (!socket.destroyed) socket.resetAndDestroy();
  };
  return socket;
}

function readAnswer(response: IncomingMessage, answered: (result: Exchange) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  const done = (): void => {
    if (isDone) return;
    isDone = true;
    answered({
      type: 'answered',
      status: response.statusCode ?? 0,
      location: response.headers.location,
      body: Buffer.concat(chunks).subarray(0, MAX_OUTPUT_BYTES).toString('utf8'),
    });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_OUTPUT_BYTES) done();
  });
  response.on('end', done);
  // Cut off in the middle: the headers were an answer.
  response.on('error', done);
}

/** Repeated headers are all sent. An empty `Accept` means that none is sent. */
function headersOf({ headers, host, port }: HttpTarget, userAgent: string): OutgoingHttpHeaders {
  const sent = new Map<string, string | string[]>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const before = sent.get(key);
    if (key === 'host' || before === undefined) sent.set(key, value);
    else sent.set(key, [...(Array.isArray(before) ? before : [before]), value]);
  }
  if (!sent.has('user-agent')) sent.set('user-agent', userAgent);
  if (!sent.has('accept')) sent.set('accept', '*/*');
  else if (sent.get('accept') === '') sent.delete('accept');
  if (!sent.has('host')) sent.set('host', hostPort(host, port));
  return Object.fromEntries(sent);
}

function urlOf({ scheme, host, port, path }: HttpTarget): string {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return `${scheme}://${hostPort(host, port)}${rooted}`;
}

/** Uses the words of Go's client, which people search events for. The port is always named. */
function failed({ protocol, hostname, port, pathname, search }: URL, text: string) {
  const named = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const url = `${protocol}//${hostname}:${named}${pathname}${search}`;
  return { type: 'failed', message: `Get "${url}": ${text}`, plainServer: false } as const;
}
