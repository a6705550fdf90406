import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawOptions {
  readonly port: number;
  /** Absent: with TLS. */
  readonly plain?: boolean;
  readonly localAddress?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** A request line and headers, as they are sent. The connection is to be closed after the answer. */
export const head = (line: string, headers: readonly string[] = []): string =>
  [`${line} HTTP/1.1`, 'Host: n1', ...headers, '', ''].join('\r\n');

/** Sends raw bytes, and resolves with the whole response once the server closes. */
export function sendRaw(bytes: string, { port, plain = false, localAddress, certificate }: RawOptions) {
  return new Promise<string>((resolve) => {
    const where = { host: '127.0.0.1', port, ...(localAddress !== undefined && { localAddress }) };
    const socket = plain ? connect(where) : connectTls({ ...where, ...certificate, rejectUnauthorized: false });
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

/** Status and body of a raw response. */
export function readRaw(text: string): { readonly status: number; readonly body: string } {
  const at = text.indexOf('\r\n\r\n');
  return { status: Number(text.split(' ', 2)[1] ?? 0), body: at < 0 ? '' : text.slice(at + 4) };
}
