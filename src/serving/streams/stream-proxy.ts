import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { joinStreams, type JoinOptions } from './join-streams.ts';
import { halfOpen } from './half-open.ts';
import { RuntimeSocket } from './runtime-socket.ts';
import { upgradeHead } from './upgrade-head.ts';
import { messageOf } from '../../kube/text/message-of.ts';

export interface ProxyOptions extends JoinOptions {
  /** The address of this one stream on the runtime's streaming server. */
  readonly url: string;
  /** Bytes that the client has already sent. */
  readonly head: Buffer;
  /** How to reach the runtime; TCP by default. */
  readonly dial?: (target: URL) => Dialled;
}

/** A connection in the making. */
export interface Dialled {
  readonly stream: Duplex;
  /** Rejects when the connection fails. */
  readonly connected: Promise<void>;
}

/** The runtime's streaming server is on this machine: it answers at once or hardly ever. */
const CONNECT_WITHIN_MS = 10_000;

/**
 * Connects an upgraded connection to the runtime, byte by byte, in any protocol. The client gets the runtime's own
 * answer to the upgrade. Resolves when both are gone, or when the runtime cannot be reached; in that case nothing
 * was sent to the client.
 */
export async function proxyStream(
  request: IncomingMessage,
  client: Duplex,
  options: ProxyOptions,
): Promise<{ readonly failed: string | undefined }> {
  const target = new URL(options.url);
  const { stream, connected } = (options.dial ?? dialRuntime)(target);
  const failed = await connectedInTime(connected, client, options.clock);
  if (failed !== undefined) {
    stream.on('error', () => {});
    stream.destroy();
    return { failed };
  }
  stream.write(upgradeHead(request, { host: target.host, path: `${target.pathname}${target.search}` }));
  if (options.head.length > 0) stream.write(options.head);
  await joinStreams(client, stream, options);
  return { failed: undefined };
}

/** Resolves with the reason when there is no connection. */
function connectedInTime(
  connected: Promise<void>,
  client: Duplex,
  clock: JoinOptions['clock'],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const left = (): void => settle('the client has left');
    const stopTimer = clock.after(CONNECT_WITHIN_MS, () => settle('it does not answer'));
    const settle = (problem: string | undefined): void => {
      stopTimer();
      client.off('close', left);
      resolve(problem);
    };
    client.once('close', left);
    connected.then(
      () => settle(client.destroyed ? 'the client has left' : undefined),
      (error: unknown) => settle(messageOf(error)),
    );
  });
}

/**
 * No authority is configured for a runtime that serves its streams with TLS: its certificate is not verified, as on
 * the kubelet.
 */
function dialRuntime(target: URL): Dialled {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isTls = target.protocol === 'https:';
  const port = Number(target.port || (isTls ? 443 : 80));
  const stream = isTls
    ? connectTls({ host, port, ...halfOpen, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    : new RuntimeSocket().connect({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    stream.once(isTls ? 'secureConnect' : 'connect', () => resolve());
    stream.once('error', reject);
  });
  return { stream, connected };
}
