import { createServer as tcpServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpGet } from '../../src/probing/http-get.ts';
import { httpProbe } from '../../src/probing/http-probe.ts';
import type { HttpTarget } from '../../src/probing/probe-target.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { closedPort, serving, servingHttp } from './loopback.ts';

const options = { timeoutMs: 5_000, clock: systemClock, userAgent: 'kube-probe/1.36' };
const target = (port: number, parts: Partial<HttpTarget> = {}): HttpTarget => ({
  type: 'http',
  scheme: 'http',
  host: '127.0.0.1',
  port,
  path: '/healthz',
  headers: [],
  ...parts,
});

/** A request as received by a server: its line and its raw headers. */
async function seen(parts: Partial<HttpTarget>): Promise<readonly string[]> {
  const lines: string[] = [];
  const port = await servingHttp((request, response) => {
    lines.push(`${request.method} ${request.url}`);
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      lines.push(`${request.rawHeaders[index]?.toLowerCase()}: ${request.rawHeaders[index + 1]}`);
    }
    response.end();
  });
  await httpGet(target(port, parts), options);
  return lines.map((line) => line.replace(`:${port}`, ':PORT'));
}

describe('the request of an HTTP probe', () => {
  it('has a User-Agent, on a new connection', async () => {
    expect(await seen({ path: '/live?full=1' })).toEqual([
      'GET /live?full=1',
      'user-agent: kube-probe/1.36',
      'accept: */*',
      'host: 127.0.0.1:PORT',
      'connection: close',
    ]);
  });

  it.each([
    { rule: 'a Host header names the host', header: ['Host', 'shop.test'], line: 'host: shop.test' },
    { rule: 'a User-Agent is kept', header: ['User-Agent', 'me'], line: 'user-agent: me' },
    { rule: 'an Accept is kept', header: ['Accept', 'text/plain'], line: 'accept: text/plain' },
    { rule: 'another header is added', header: ['X-Cheese', 'brie'], line: 'x-cheese: brie' },
  ] as const)('$rule', async ({ header: [name, value], line }) => {
    expect(await seen({ headers: [{ name, value }] })).toContain(line);
  });

  it('sends every header of the same name', async () => {
    const headers = ['1', '2'].map((value) => ({ name: 'X-Same', value }));
    expect((await seen({ headers })).filter((line) => line.startsWith('x-same'))).toEqual(['x-same: 1', 'x-same: 2']);
  });

  it('has no Accept header if the probe removes it', async () => {
    const lines = await seen({ headers: [{ name: 'Accept', value: '' }] });
    expect(lines.filter((line) => line.startsWith('accept'))).toEqual([]);
  });
});

describe('an HTTP probe', () => {
  it.each([
    { status: 200, outcome: { result: 'success', output: '' } },
    { status: 204, outcome: { result: 'success', output: '' } },
    { status: 304, outcome: { result: 'warning', output: 'Probe terminated redirects, Response body: ' } },
    { status: 404, outcome: { result: 'failure', output: 'HTTP probe failed with statuscode: 404' } },
    { status: 500, outcome: { result: 'failure', output: 'HTTP probe failed with statuscode: 500' } },
  ])('takes status $status as a $outcome.result', async ({ status, outcome }) => {
    const port = await servingHttp((_request, response) => void response.writeHead(status).end());
    expect(await httpProbe(target(port), options)).toEqual(outcome);
  });

  it('follows redirects on the same host', async () => {
    const port = await servingHttp((request, response) =>
      request.url === '/healthz'
        ? void response.writeHead(302, { location: '/other' }).end()
        : void response.writeHead(request.url === '/other' ? 200 : 500).end('there'),
    );
    expect(await httpProbe(target(port), options)).toEqual({ result: 'success', output: 'there' });
  });

  it('does not follow a redirect to another host, and warns', async () => {
    const port = await servingHttp(
      (_request, response) => void response.writeHead(302, { location: 'http://elsewhere.test/' }).end('go away'),
    );
    expect(await httpProbe(target(port), options)).toEqual({
      result: 'warning',
      output: 'Probe terminated redirects, Response body: go away',
    });
  });

  it('gives up after ten redirects', async () => {
    let asked = 0;
    const port = await servingHttp((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: `/${asked}` }).end();
    });
    const outcome = await httpProbe(target(port), options);
    expect(outcome).toMatchObject({ result: 'failure', output: expect.stringContaining('stopped after 10 redirects') });
    expect(asked).toBe(11);
  });

  it('reads no more of an answer than 10 KiB', async () => {
    const port = await servingHttp((_request, response) => void response.end('x'.repeat(100_000)));
    const outcome = await httpProbe(target(port), options);
    expect([outcome.result, outcome.output.length]).toEqual(['success', 10_240]);
  });

  it('reads an answer with a megabyte of headers', async () => {
    const socketServer = tcpServer((socket) => {
      socket.on('error', () => {});
      const headers = Array.from({ length: 64 }, (_, n) => `X-Large-${n}: ${'a'.repeat(16_000)}\r\n`).join('');
      socket.end(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 2\r\n\r\nok`);
    });
    const port = await serving(socketServer);
    expect(await httpGet(target(port), options)).toMatchObject({ type: 'answered', status: 200, body: 'ok' });
  });

  it("reports a connection error with the kubelet's text", async () => {
    const port = await closedPort();
    expect(await httpProbe(target(port, { path: '/x' }), options)).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:${port}/x": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });

  it('fails when there is no answer in time', async () => {
    const held: Socket[] = [];
    const port = await serving(tcpServer((socket) => void held.push(socket.on('error', () => {}))));
    const outcome = await httpProbe(target(port), { ...options, timeoutMs: 30 });
    for (const socket of held) socket.destroy();
    expect(outcome).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:${port}/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    });
  });

  it('resets its connection after the answer, so that no connection stays in TIME_WAIT', async () => {
    const closed = Promise.withResolvers<string>();
    const port = await serving(
      tcpServer((socket) => {
        // The probe closes the connection if the server does not; a reset is an error for the server.
        socket.on('error', (error: NodeJS.ErrnoException) => closed.resolve(error.code ?? ''));
        socket.on('close', () => closed.resolve('closed in order'));
        socket.once('data', () => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
      }),
    );
    expect(await httpProbe(target(port), options)).toEqual({ result: 'success', output: 'ok' });
    expect(await closed.promise).toBe('ECONNRESET');
  });

  it('fails with a header that is invalid in HTTP', async () => {
    const outcome = await httpProbe(target(1, { headers: [{ name: 'not a name', value: '' }] }), options);
    expect(outcome.result).toBe('error');
  });
});
