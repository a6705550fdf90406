import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { splitTarget } from '../../../kube/text/split-target.ts';
import { ConnectionGuard, type GuardTools } from './connection-guard.ts';
import type { CommandChannels, CommandStatus, WantedStreams } from './command-channels.ts';
import { forwardPorts, portForwardProtocol, tunnelledProtocol, type ConnectPort } from './forwarded-ports.ts';
import { spdyChannels } from './spdy-channels.ts';
import { commandProtocols, webSocketChannels } from './websocket-channels.ts';
import { messageOf } from '../../../kube/text/message-of.ts';

/** The purpose of a prepared stream, which can be used once. */
export type StreamPlan =
  | {
      readonly type: 'command';
      readonly wanted: WantedStreams;
      readonly serve: (channels: CommandChannels) => Promise<CommandStatus>;
    }
  | { readonly type: 'ports'; readonly connect: ConnectPort };

/** The runtime's own streaming server, on loopback. Clients connect to an address from a CRI call. */
export interface StreamingServer {
  readonly port: number;
  /** Streams that are open at this moment. */
  readonly open: number;
  /** Returns an address that is valid once, for a minute. `undefined` when too many wait. */
  prepare(path: 'exec' | 'attach' | 'portforward', plan: StreamPlan): string | undefined;
  /** Cuts all streams. */
  close(): Promise<void>;
}

const USED_WITHIN_MS = 60_000;
const MOST_WAITING = 1_000;
const SPDY = 'SPDY/3.1';
const spdyCommandProtocols = ['v4.channel.k8s.io'];

/** Speaks SPDY/3.1 (every kubectl, and API servers) and WebSocket (kubectl since 1.29). */
export async function openStreamingServer(tools: GuardTools): Promise<StreamingServer> {
  const { clock } = tools;
  const waiting = new Map<string, { readonly plan: StreamPlan; readonly forget: () => void }>();
  const open = new Set<Duplex>();
  const webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => chosen(offered, commandProtocols) ?? false,
  });
  // This protocol's name contains a slash, so the library rightly rejects it; clients still request it.
  const tunnels = new WeakSet<IncomingMessage>();
  webSockets.on('headers', (headers, request) => {
    if (tunnels.has(request)) headers.push(`Sec-WebSocket-Protocol: ${tunnelledProtocol}`);
  });
  const server = createServer((_request, response) => {
    response.writeHead(400).end('an upgrade is needed\n');
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const token = splitTarget(request.url ?? '').path;
    const found = waiting.get(token);
    if (found === undefined) return refuse(socket, 404, 'there is no such stream, or it was already used');
    found.forget();
    const { plan } = found;
    // The connections of this server are sockets.
    const guard = new ConnectionGuard(socket as Socket, tools);
    if ((request.headers.upgrade ?? '').toLowerCase() === 'websocket') {
      const offered = listOf(request.headers['sec-websocket-protocol']);
      const known = plan.type === 'command' ? commandProtocols : [tunnelledProtocol];
      if (chosen(new Set(offered), known) === undefined) return refuse(socket, 403, 'no known WebSocket protocol');
      if (plan.type === 'ports') {
        tunnels.add(request);
        delete request.headers['sec-websocket-protocol'];
      }
      return webSockets.handleUpgrade(request, socket, head, (client) => {
        if (plan.type === 'ports') void forwardPorts(createWebSocketStream(client), plan.connect);
        else serveCommand(plan, webSocketChannels(client, plan.wanted), guard);
      });
    }
    if (request.headers.upgrade !== SPDY) return refuse(socket, 400, `an upgrade to ${SPDY} or WebSocket is needed`);
    const known = plan.type === 'command' ? spdyCommandProtocols : [portForwardProtocol];
    const protocol = chosen(new Set(listOf(request.headers['x-stream-protocol-version'])), known);
    if (protocol === undefined) return refuse(socket, 403, 'no known stream protocol');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${SPDY}`];
    socket.write(`${[...lines, `X-Stream-Protocol-Version: ${protocol}`].join('\r\n')}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    if (plan.type === 'ports') return void forwardPorts(socket, plan.connect);
    return void spdyChannels(socket, plan.wanted, clock).then(
      (channels) => channels && serveCommand(plan, channels, guard),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get open() {
      return open.size;
    },
    prepare(path, plan) {
      if (waiting.size >= MOST_WAITING) return undefined;
      const token = `/${path}/${randomBytes(16).toString('base64url')}`;
      const stopTimer = clock.after(USED_WITHIN_MS, () => waiting.delete(token));
      const forget = (): void => {
        stopTimer();
        waiting.delete(token);
      };
      waiting.set(token, { plan, forget });
      return `http://127.0.0.1:${port}${token}`;
    },
    async close() {
      for (const { forget } of waiting.values()) forget();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** List headers may be sent once, or repeatedly. */
const listOf = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []].flat().flatMap((each) => each.split(',').map((part) => part.trim()));

const chosen = (offered: ReadonlySet<string>, known: readonly string[]): string | undefined =>
  known.find((each) => offered.has(each));

function serveCommand(
  { serve }: Extract<StreamPlan, { type: 'command' }>,
  channels: CommandChannels,
  guard: ConnectionGuard,
): void {
  const finish = (status: CommandStatus): void => {
    guard.ending();
    channels.finish(status);
  };
  serve(channels).then(finish, (error: unknown) => finish({ type: 'failed', problem: messageOf(error) }));
}

function refuse(socket: Duplex, status: number, text: string): void {
  const lines = [`HTTP/1.1 ${status} Refused`, 'Content-Type: text/plain', `Content-Length: ${text.length}`];
  socket.end(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
