import { isIPv6 } from 'node:net';
import { own } from '../kube/text/own.ts';

/** `host:port`, with an IPv6 address in brackets. */
export const hostPort = (host: string, port: number): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

const CONNECT_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EHOSTDOWN: 'connect: host is down',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EMFILE: 'socket: too many open files',
  ETIMEDOUT: 'i/o timeout',
};
const STREAM_ERRORS: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection reset by peer',
  EPIPE: 'broken pipe',
};

/** Returns a connection failure in the kubelet's words: people and alerts search events for them. */
export function dialErrorText(error: NodeJS.ErrnoException, host: string, port: number): string {
  const code = error.code ?? '';
  const dial = `dial tcp ${hostPort(host, port)}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: server misbehaving`;
  const connect = own(CONNECT_ERRORS, code);
  if (connect !== undefined) return `${dial}: ${connect}`;
  if (error.message === 'socket hang up') return 'EOF';
  const stream = own(STREAM_ERRORS, code);
  if (stream !== undefined) return `read tcp ${hostPort(host, port)}: read: ${stream}`;
  return error.message;
}
