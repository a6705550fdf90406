import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from './store/refusal.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** A request, as far as its body has been read, and the means to answer it. */
export class HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;

  constructor(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    this.url = request.url ?? '/';
    this.headers = request.headers;
    this.body = body;
  }

  /** Adds a header of the answer. A repeated name is sent repeatedly. */
  header(name: string, value: string): void {
    this.response.appendHeader(name, value);
  }

  answer(code: number, contentType: string, body: string | Buffer): void {
    if (this.response.destroyed || this.response.headersSent) return;
    this.response.statusCode = code;
    this.response.setHeader('content-type', contentType);
    this.response.setHeader('content-length', Buffer.byteLength(body));
    this.response.end(body);
  }
}

const tooLarge = () =>
  new Refusal({ code: 413, reason: 'RequestEntityTooLarge', message: `limit is ${MAX_BODY_BYTES}` });

/**
 * Returns the body of a request, or why reading it stopped. `undefined` when the client disconnected before its
 * end.
 */
export function collectBody(request: IncomingMessage): Promise<Buffer | Refusal | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(tooLarge());
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MAX_BODY_BYTES) {
        request.pause();
        return resolve(tooLarge());
      }
      pieces.push(piece);
    });
    request.once('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', () => resolve(undefined));
    request.once('close', () => resolve(undefined));
  });
}
