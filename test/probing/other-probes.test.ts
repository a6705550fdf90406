import { createServer as tcpServer } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { ExecSyncResponse } from '../../src/cri/gen/api.ts';
import { containerId } from '../../src/kube/ids.ts';
import { execProbe } from '../../src/probing/exec-probe.ts';
import { grpcProbe } from '../../src/probing/grpc-probe.ts';
import { tcpConnect } from '../../src/probing/tcp-connect.ts';
import { criFault, FakeCriClient } from '../support/fake-cri-client.ts';
import { manualClock } from '../support/manual-clock.ts';
import { closedPort, serving } from './loopback.ts';

describe('a TCP probe', () => {
  it('succeeds when the port accepts the connection', async () => {
    const port = await serving(tcpServer((socket) => void socket.on('error', () => {})));
    expect(await tcpConnect({ type: 'tcp', host: '127.0.0.1', port }, 5_000, systemClock)).toMatchObject({
      result: 'success',
    });
  });

  it('fails when the port is closed', async () => {
    const port = await closedPort();
    expect(await tcpConnect({ type: 'tcp', host: '127.0.0.1', port }, 5_000, systemClock)).toEqual({
      result: 'failure',
      output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });
});

describe('an exec probe', () => {
  const exec = (cri: FakeCriClient, clock = manualClock()) =>
    execProbe(
      { cri, clock },
      {
        podUid: 'uid-1',
        containerId: containerId('main-0'),
        target: { type: 'exec', command: ['cat', '/tmp/ok'] },
        timeoutSeconds: 3,
      },
    );
  const answer = (exitCode: number, stdout = '', stderr = '') => ({
    ok: true as const,
    value: ExecSyncResponse.fromPartial({ exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }),
  });

  it('runs in the runtime, with the timeout of the probe', async () => {
    const cri = new FakeCriClient({ ExecSync: () => answer(0, 'fine') });
    expect(await exec(cri)).toEqual({ result: 'success', output: 'fine' });
    expect(cri.requests('ExecSync')).toEqual([{ containerId: 'main-0', cmd: ['cat', '/tmp/ok'], timeout: 3n }]);
  });

  it.each([
    {
      rule: 'an exit code is a failure, with its whole output',
      given: answer(1, 'a', 'b'),
      result: 'failure',
      output: 'ab',
    },
    {
      rule: 'a timeout of the runtime is a failure',
      given: criFault('DEADLINE_EXCEEDED'),
      result: 'failure',
      output: 'command timed out: "cat /tmp/ok" timed out after 3s',
    },
    {
      rule: 'any other error of the runtime is an error, not a failure',
      given: criFault('UNKNOWN', 'shim is gone'),
      result: 'error',
      output: 'rpc error: code = Unknown desc = shim is gone',
    },
    { rule: 'a runtime that is down gives no result', given: criFault('UNAVAILABLE', 'away'), result: 'unheard' },
    { rule: 'a call that was never made gives no result', given: criFault('NOT_MADE', 'busy'), result: 'unheard' },
    { rule: 'a lost call gives no result', given: criFault('INTERRUPTED', 'lost'), result: 'unheard' },
  ])('$rule', async ({ given, result, output }) => {
    const outcome = await exec(new FakeCriClient({ ExecSync: () => given }));
    expect(outcome).toMatchObject(output === undefined ? { result } : { result, output });
  });

  it('does not fail a container for a hanging runtime', async () => {
    const clock = manualClock();
    const cri = new FakeCriClient({
      ExecSync: () => {
        clock.advance(13_000);
        return 'DEADLINE_EXCEEDED';
      },
    });
    expect((await exec(cri, clock)).result).toBe('unheard');
  });

  it('keeps 10 KiB of the output', async () => {
    const outcome = await exec(new FakeCriClient({ ExecSync: () => answer(1, 'x'.repeat(20_000)) }));
    expect(outcome.output).toHaveLength(10_240);
  });
});

describe('a gRPC probe', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.forceShutdown();
  });

  const asIs = (bytes: Buffer): Buffer => bytes;
  /** A health service with this status in field 1 of its answer; other numbers are gRPC errors. */
  async function healthServer(answers: (service: string) => number | { code: number } | 'never'): Promise<number> {
    const server = new Server();
    servers.push(server);
    const health = {
      Check: {
        path: '/grpc.health.v1.Health/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    } as const;
    server.addService(health, {
      Check: (call: { request: Buffer }, done: (error: object | null, value?: Buffer) => void) => {
        const answer = answers(call.request.subarray(2).toString());
        if (answer === 'never') return;
        if (typeof answer === 'number') done(null, Buffer.from([8, answer]));
        else done({ ...answer, details: 'as told' });
      },
    });
    return new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }
  const ask = (port: number, service = '', timeoutSeconds = 5) =>
    grpcProbe(
      { type: 'grpc', host: '127.0.0.1', port, service },
      { timeoutSeconds, userAgent: 'kube-probe/1.36', clock: systemClock },
    );

  it('checks the service, and succeeds with SERVING', async () => {
    const port = await healthServer((service) => (service === 'cheese' ? 1 : 2));
    expect(await ask(port, 'cheese')).toEqual({ result: 'success', output: 'service healthy' });
    expect(await ask(port)).toEqual({
      result: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
  });

  it('reports a server without a health service', async () => {
    const port = await healthServer(() => ({ code: status.UNIMPLEMENTED }));
    expect(await ask(port)).toEqual({
      result: 'failure',
      output: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): as told',
    });
  });

  it.each<{ rule: string; answer: { code: number } | 'never'; output: string }>([
    { rule: 'a missing answer', answer: 'never', output: 'timeout: health rpc did not complete within 1s' },
    {
      rule: 'an error of the service',
      answer: { code: status.UNAVAILABLE },
      output: 'error: health rpc probe failed: rpc error: code = Unavailable desc = as told',
    },
  ])('reports $rule in the words of a kubelet', async ({ answer, output }) => {
    expect(await ask(await healthServer(() => answer), '', 1)).toEqual({ result: 'failure', output });
  });

  it('reports a server that does not accept in the words of a kubelet', async () => {
    const port = await closedPort();
    expect(await ask(port, '', 1)).toEqual({
      result: 'failure',
      output: `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    });
  });
});
