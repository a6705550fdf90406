import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ContainerState, Protocol } from '../../../../src/cri/gen/api.ts';
import { systemClock } from '../../../../src/actor/clock.ts';
import {
  type ConnectionLook,
  type GuardState,
  type GuardVerdict,
  judgeConnection,
} from '../../../../src/embedded/runtime/streaming/connection-guard.ts';
import { controlFrame, kinds, numbers } from '../../../../src/embedded/runtime/streaming/spdy-frames.ts';
import { StreamCalls } from '../../../../src/embedded/runtime/streaming/stream-calls.ts';
import {
  openStreamingServer,
  type StreamingServer,
} from '../../../../src/embedded/runtime/streaming/streaming-server.ts';
import { hostReader } from '../../../../src/host/host-reader.ts';
import { kernelPeers } from '../../../../src/host/tcp-peers.ts';
import { manualClock, type ManualClock } from '../../../support/manual-clock.ts';
import { type ContainerWishes, simulate, type Simulation } from '../simulate.ts';
import { SpdyClient } from './spdy-client.ts';

let runtime: Simulation;
let server: StreamingServer;
let calls: StreamCalls;
let sandboxId: string;
let containerId: string;

beforeEach(async () => {
  runtime = simulate({ pods: { web: { containers: { main: { exec: { probe: ['3:scripted'] } } } } } });
  server = await openStreamingServer({ clock: systemClock, peers: kernelPeers(hostReader, systemClock) });
  calls = new StreamCalls({ core: runtime.core, server, clock: systemClock });
  sandboxId = await runtime.runPod('web');
  const envs = [{ key: 'NAME', value: Buffer.from('a  value') }];
  containerId = await runtime.start(sandboxId, 'main', { config: { envs } });
});
afterEach(() => server.close());

const exec = (cmd: readonly string[], more: object = {}): string =>
  calls.exec({ containerId, cmd: [...cmd], tty: false, stdin: true, stdout: true, stderr: true, ...more }).url;

interface Session {
  readonly socket: WebSocket;
  readonly said: Map<number, string>;
  /** How it ended: the status, and the code of the close. */
  readonly over: Promise<{ readonly status: unknown; readonly code: number }>;
  readonly send: (channel: number, data: string | Buffer) => void;
}

async function session(url: string, protocol = 'v5.channel.k8s.io'): Promise<Session> {
  const socket = new WebSocket(url, protocol);
  const said = new Map<number, string>();
  socket.on('message', (message: Buffer) => {
    const channel = message[0] ?? -1;
    said.set(channel, (said.get(channel) ?? '') + message.subarray(1).toString());
  });
  const over = new Promise<{ status: unknown; code: number }>((resolve) => {
    socket.once('close', (code) => resolve({ status: JSON.parse(said.get(3) ?? 'null'), code }));
  });
  await once(socket, 'open');
  return {
    socket,
    said,
    over,
    send: (channel, data) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)])),
  };
}

const failure = (code: number): object => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});

describe('a command of a simulated container', () => {
  it.each([
    [['echo', 'a', 'b'], 'a b\n', undefined, 0],
    [['sh', '-c', 'echo -n "x;$NAME"; echo \'$NAME\' >&2'], 'x;a  value', '$NAME\n', 0],
    [['sh', '-c', 'false || echo no; true && echo yes; echo $?'], 'no\nyes\n0\n', undefined, 0],
    [['sh', '-c', 'false; exit'], undefined, undefined, 1],
    [['/bin/sh', '-c', 'exit 7; echo never'], undefined, undefined, 7],
    [['sh', '-c', 'echo gone >/dev/null; nope; echo $?'], '127\n', 'sh: nope: not found\n', 0],
    [['sh', '-c', 'echo a | cat'], undefined, 'sh: not understood here: | cat\n', 2],
    [['sh', '-c', 'printf "%s-%s\\n" a b # says it'], 'a-b\n', undefined, 0],
    [['hostname'], 'web\n', undefined, 0],
    [['env'], 'NAME=a  value\n', undefined, 0],
    [['stty', 'size'], undefined, 'stty: standard input: Not a tty\n', 1],
    [['probe'], 'scripted', undefined, 3],
  ])('%j', async (cmd, stdout, stderr, code) => {
    const { said, over } = await session(exec(cmd));
    const ended = await over;
    expect({ stdout: said.get(1), stderr: said.get(2) }).toEqual({ stdout, stderr });
    expect(ended).toMatchObject({ code: 1_000, status: code === 0 ? { status: 'Success' } : failure(code) });
  });

  it('reads its input until the client ends it (v5)', async () => {
    const { said, over, send } = await session(exec(['cat']));
    send(0, 'one ');
    send(0, 'two');
    send(255, Buffer.of(0));
    expect((await over).status).toMatchObject({ status: 'Success' });
    expect(said.get(1)).toBe('one two');
  });

  it('is ended with its client, and with its container', async () => {
    const left = await session(exec(['cat']));
    left.socket.terminate();
    const ended = await session(exec(['cat']), 'v4.channel.k8s.io');
    await runtime.core.stopContainer({ containerId, timeout: 0n });
    expect((await ended.over).status).toMatchObject(failure(137));
  });

  it('has a terminal to type at, of the size of the client', async () => {
    const { said, over, send } = await session(exec(['sh'], { tty: true, stderr: false }));
    send(4, '{"Width":100,"Height":30}');
    send(0, 'sttx\u007fy size\r');
    await expect.poll(() => said.get(1)).toContain('30 100\r\n');
    send(0, 'exit 4\r');
    expect((await over).status).toMatchObject(failure(4));
    expect(said.get(1)).toBe('/ # sttx\b \by size\r\n30 100\r\n/ # exit 4\r\n');
  });

  it('is interrupted by Ctrl-C', async () => {
    const { over, send } = await session(exec(['cat'], { tty: true, stderr: false }));
    send(0, '\u0003');
    expect((await over).status).toMatchObject(failure(130));
  });

  it('does not run where no container runs', async () => {
    await runtime.core.stopContainer({ containerId, timeout: 0n });
    expect(() => exec(['ls'])).toThrow(/is exited, cannot run commands/);
    expect(() =>
      calls.exec({ containerId: 'none', cmd: ['ls'], tty: false, stdin: false, stdout: true, stderr: false }),
    ).toThrow(/not found/);
  });
});

describe('a connection to the streaming server', () => {
  const there = (): boolean => false;
  const gone = (): boolean => true;
  const fresh: GuardState = { bytesRead: 5, unsent: 100, at: 0, quietLooks: 0, takenAt: undefined };
  const keep = (state: GuardState): GuardVerdict => ({ type: 'keep', next: state });
  const close: GuardVerdict = { type: 'close' };
  it.each<[string, GuardState, ConnectionLook, () => boolean, GuardVerdict]>([
    ['stays while its client is silent', fresh, { bytesRead: 5, unsent: 100, at: 1 }, there, keep({ ...fresh, at: 1 })],
    [
      'stays while bytes of a client that left are read',
      { ...fresh, quietLooks: 1 },
      { bytesRead: 6, unsent: 100, at: 1 },
      gone,
      keep({ ...fresh, bytesRead: 6, at: 1 }),
    ],
    [
      'stays for one look after its client has left',
      fresh,
      { bytesRead: 5, unsent: 100, at: 1 },
      gone,
      keep({ ...fresh, at: 1, quietLooks: 1 }),
    ],
    [
      'is closed at the second look after its client has left',
      { ...fresh, quietLooks: 1 },
      { bytesRead: 5, unsent: 100, at: 2 },
      gone,
      close,
    ],
    [
      'stays after its command while the client takes bytes',
      { ...fresh, takenAt: 1 },
      { bytesRead: 5, unsent: 99, at: 9_999 },
      there,
      keep({ ...fresh, unsent: 99, at: 9_999, takenAt: 9_999 }),
    ],
    [
      'is closed after its command when the client takes nothing for 10 s',
      { ...fresh, takenAt: 1 },
      { bytesRead: 9, unsent: 100, at: 10_001 },
      there,
      close,
    ],
  ])('%s', (_, before, now, hasLeft, verdict) => {
    expect(judgeConnection(before, now, hasLeft)).toEqual(verdict);
  });

  /** Time goes on until the server has closed its streams. Returns how many are open. */
  async function untilClosed(clock: ManualClock, own: StreamingServer): Promise<number> {
    const openLater = async (): Promise<number> => {
      await clock.advanceAndSettle(1_000);
      return own.open;
    };
    await expect.poll(openLater, { timeout: 10_000, interval: 10 }).toBe(0);
    return own.open;
  }
  /** A streaming server on a clock of its own, and its connections. */
  const ofOwnClock = async () => {
    const clock = manualClock();
    const own = await openStreamingServer({ clock, peers: kernelPeers(hostReader, clock) });
    const streams = new StreamCalls({ core: runtime.core, server: own, clock: systemClock });
    const url = (cmd: readonly string[]): string =>
      streams.exec({ containerId, cmd: [...cmd], tty: false, stdin: true, stdout: true, stderr: true }).url;
    return { clock, own, url };
  };

  it('over WebSocket ends with its client, although the command reads no input', async () => {
    const { clock, own, url } = await ofOwnClock();
    const { socket, send } = await session(url(['sleep', '1000']));
    for (let count = 0; count < 10; count++) send(0, Buffer.alloc(65_536));
    await expect.poll(() => socket.bufferedAmount).toBe(0);
    expect(own.open).toBe(1);
    socket.terminate();
    await once(socket, 'close');
    expect(await untilClosed(clock, own)).toBe(0);
    await own.close();
  });

  it('over SPDY ends with its client, although the command reads no input', async () => {
    const { clock, own, url } = await ofOwnClock();
    const client = await SpdyClient.upgrade(url(['sleep', '1000']), 'v4.channel.k8s.io');
    for (const streamtype of ['error', 'stdin', 'stdout', 'stderr']) await client.open({ streamtype });
    for (let count = 0; count < 200; count++) client.send(3, 'x'.repeat(30_000));
    expect(own.open).toBe(1);
    client.socket.destroy();
    await once(client.socket, 'close');
    expect(await untilClosed(clock, own)).toBe(0);
    await own.close();
  });

  it.each(['websocket', 'spdy'])('is closed when its command has ended and the client stays (%s)', async (kind) => {
    const { clock, own, url } = await ofOwnClock();
    let end = (): void => {};
    if (kind === 'websocket') {
      const { socket, send } = await session(url(['cat']));
      // A client that neither reads nor answers.
      socket.pause();
      send(255, Buffer.of(0));
      end = () => socket.terminate();
    } else {
      const client = await SpdyClient.upgrade(url(['cat']), 'v4.channel.k8s.io');
      for (const streamtype of ['error', 'stdin', 'stdout', 'stderr']) await client.open({ streamtype });
      client.socket.pause();
      client.end(3);
      end = () => void client.socket.destroy();
    }
    expect(await untilClosed(clock, own)).toBe(0);
    end();
    await own.close();
  });
});

describe('an attached client', () => {
  it('sees what the container logs, until it ends', async () => {
    const scripted = { pods: { talker: { containers: { main: { run: [{ do: '0@1s', log: 'last words' }] } } } } };
    const other = simulate(scripted);
    const streams = new StreamCalls({ core: other.core, server, clock: systemClock });
    const id = await other.start(await other.runPod('talker'), 'main');
    const attach = { containerId: id, tty: false, stdin: false, stdout: true, stderr: true };
    const { said, over } = await session(streams.attach(attach).url);
    await other.clock.advanceAndSettle(1_000);
    expect((await over).status).toMatchObject({ status: 'Success' });
    expect(said.get(1)).toBe('last words\n');
  });
});

describe('an interactive container', () => {
  type Asked = NonNullable<ContainerWishes['config']>;
  /** A container of its own runtime, and how to attach to it. */
  const talker = async (asked: Asked) => {
    const other = simulate();
    const streams = new StreamCalls({ core: other.core, server, clock: systemClock });
    const sandbox = await other.runPod('talker', { logDirectory: '/log' });
    const id = await other.start(sandbox, 'main', { config: asked });
    const { tty = false } = asked;
    const attach = (): Promise<Session> =>
      session(streams.attach({ containerId: id, tty, stdin: true, stdout: true, stderr: !tty }).url);
    const exitCode = (): number | 'running' => {
      const { state, exitCode } = other.status(id);
      return state === ContainerState.CONTAINER_EXITED ? exitCode : 'running';
    };
    const log = (): string | undefined => other.files.get('/log/main/0.log');
    return { attach, exitCode, log };
  };

  it('runs a shell with the terminal of its client, and ends when the shell ends', async () => {
    const { attach, exitCode, log } = await talker({ stdin: true, stdinOnce: true, tty: true, command: ['/bin/sh'] });
    const { said, over, send } = await attach();
    send(4, '{"Width":100,"Height":30}');
    send(0, 'stty size\rexit 4\r');
    expect((await over).status).toMatchObject({ status: 'Success' });
    expect(said.get(1)).toBe('/ # stty size\r\nexit 4\r\n30 100\r\n/ # ');
    expect(exitCode()).toBe(4);
    expect(log()).toContain('stdout F 30 100\r\n');
  });

  it.each([
    { rule: 'ends with its input', stdinOnce: true, code: 0 },
    { rule: 'runs on without a client, and answers the next client', stdinOnce: false, code: 'running' },
  ])('$rule where stdinOnce is $stdinOnce', async ({ stdinOnce, code }) => {
    const { attach, exitCode } = await talker({ stdin: true, stdinOnce, args: ['cat'] });
    const first = await attach();
    first.send(0, 'one\n');
    await expect.poll(() => first.said.get(1)).toBe('one\n');
    first.socket.close();
    await expect.poll(exitCode).toBe(code);
    if (code !== 'running') return;
    const [second, third] = [await attach(), await attach()];
    second.send(0, 'two\n');
    await expect.poll(() => `${second.said.get(1)}${third.said.get(1)}`).toBe('two\ntwo\n');
    second.socket.close();
    third.socket.close();
  });

  it.each<{ rule: string; asked: Asked }>([
    { rule: 'without stdin', asked: { command: ['sh'] } },
    { rule: 'with another program', asked: { stdin: true, command: ['server'] } },
    { rule: 'with a shell that runs a script', asked: { stdin: true, command: ['sh', '-c', 'exit 3'] } },
  ])('$rule ignores what a client sends', async ({ asked }) => {
    const { attach, exitCode } = await talker(asked);
    const { send, socket } = await attach();
    send(0, 'exit 1\n');
    socket.close();
    await once(socket, 'close');
    expect(exitCode()).toBe('running');
  });
});

describe('the URL of a stream', () => {
  it('works once', async () => {
    const url = exec(['true']);
    await (
      await session(url)
    ).over;
    await expect(session(url)).rejects.toThrow('404');
  });

  it('works for a minute', async () => {
    const clock = manualClock();
    const slow = await openStreamingServer({ clock, peers: { hasLeft: () => false } });
    const url = slow.prepare('exec', { type: 'ports', connect: () => undefined }) ?? '';
    clock.advance(60_000);
    await expect(session(url)).rejects.toThrow('404');
    await slow.close();
  });

  it('refuses an unknown protocol', async () => {
    await expect(session(exec(['true']), 'v1.other')).rejects.toThrow('403');
  });
});

describe('SPDY', () => {
  it('carries a command: streams by name, both ways, and how it ended', async () => {
    const client = await SpdyClient.upgrade(exec(['cat']), 'v4.channel.k8s.io');
    expect(client.answer).toMatch(/^HTTP\/1.1 101 [^]*X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n$/);
    const ids = new Map<string, number>();
    for (const streamType of ['error', 'stdin', 'stdout', 'stderr']) {
      ids.set(streamType, await client.open({ streamType }));
    }
    client.ping(1);
    const stdin = ids.get('stdin') ?? 0;
    client.send(stdin, 'hello ');
    client.send(stdin, 'world');
    client.end(stdin);
    await once(client.socket, 'end');
    const of = (name: string) => client.heard.get(ids.get(name) ?? 0);
    expect(of('stdout')).toEqual({ text: 'hello world', isEnded: true });
    expect(JSON.parse(of('error')?.text ?? '')).toMatchObject({ status: 'Success' });
    expect(client.pings).toEqual([1]);
    client.socket.destroy();
  });

  it.each(['no frames at all, but text', '\u0080\u0002'])(
    'ends a connection that speaks something else',
    async (text) => {
      const client = await SpdyClient.upgrade(exec(['cat']), 'v4.channel.k8s.io');
      client.socket.write(`${text}${'x'.repeat(64)}`, 'latin1');
      client.socket.resume();
      client.socket.end();
      await once(client.socket, 'close');
      expect(client.heard.size).toBe(0);
    },
  );

  it('carries connections to ports that the pod declares, and says why there is none to others', async () => {
    const portMappings = [{ protocol: Protocol.TCP, containerPort: 80, hostPort: 0, hostIp: '' }];
    const declared = await runtime.runPod('ported', { portMappings });
    const { url } = calls.portForward({ podSandboxId: declared, port: [] });
    const client = await SpdyClient.upgrade(url, 'portforward.k8s.io');
    const connection = async (port: string, requestID: string) => ({
      error: await client.open({ streamType: 'error', port, requestID }),
      data: await client.open({ streamType: 'data', port, requestID }),
    });
    const [web, echo, none] = [await connection('80', '0'), await connection('80', '1'), await connection('81', '2')];
    client.send(web.data, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.send(echo.data, 'ping');
    await expect.poll(() => client.heard.get(echo.data)?.text).toBe('ping');
    client.end(echo.data);
    await expect.poll(() => client.heard.get(echo.data)?.isEnded).toBe(true);
    await expect.poll(() => client.heard.get(web.data)).toMatchObject({ isEnded: true });
    expect(client.heard.get(web.data)?.text).toMatch(/^HTTP\/1.1 200 OK[^]*pod default\/ported, port 80/);
    expect(client.heard.get(none.error)).toEqual({
      text: 'error forwarding port 81: nothing listens on port 81 in pod default/ported: connection refused',
      isEnded: true,
    });
    client.socket.destroy();
  });

  it('is carried in the messages of a WebSocket for a client that forwards ports so', async () => {
    const url = new URL(calls.portForward({ podSandboxId: sandboxId, port: [] }).url);
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    const lines = [
      `GET ${url.pathname} HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 101 [^]*Sec-WebSocket-Protocol: SPDY\/3.1\+portforward.k8s.io\r\n/);
    // A frame of the WebSocket, unmasked as it may be with a mask of zeros, with a ping of SPDY in it.
    const ping = controlFrame(kinds.ping, numbers(1));
    socket.write(Buffer.concat([Buffer.of(0x82, 0x80 | ping.length, 0, 0, 0, 0), ping]));
    const [pong] = (await once(socket, 'data')) as [Buffer];
    expect(pong.subarray(2)).toEqual(ping);
    socket.destroy();
  });
});
