import { describe, expect, it } from 'vitest';
import { criEndpoints } from '../../src/cri/cri-endpoints.ts';
import type { CriTransport } from '../../src/cri/transport.ts';

/** Opens no connection, and records the endpoint of each call. */
function recorder() {
  const calls: string[] = [];
  const connect = (endpoint: string): CriTransport => ({
    unary(path) {
      calls.push(`${endpoint} ${path}`);
      return Promise.resolve({ ok: true, value: new Uint8Array() });
    },
    containerEvents() {
      calls.push(`${endpoint} events`);
      return () => {};
    },
    close: () => void calls.push(`${endpoint} closed`),
  });
  return { calls, connect };
}

const PULL = '/runtime.v1.ImageService/PullImage';
const RUN = '/runtime.v1.RuntimeService/RunPodSandbox';

describe('the runtime and image services', () => {
  it('share one connection when they share a socket, however it is written', async () => {
    const { calls, connect } = recorder();
    const transport = criEndpoints({ runtime: '/run/c.sock', image: 'unix:///run/c.sock' }, connect);
    await transport.unary(PULL, new Uint8Array(), undefined);
    transport.close();
    expect(calls).toEqual([`/run/c.sock ${PULL}`, '/run/c.sock closed']);
  });

  it('have a connection each when the image service has its own socket', async () => {
    const { calls, connect } = recorder();
    const transport = criEndpoints({ runtime: '/run/c.sock', image: '/run/i.sock' }, connect);
    await transport.unary(PULL, new Uint8Array(), undefined);
    await transport.unary(RUN, new Uint8Array(), undefined);
    transport.containerEvents({ event() {}, ended() {} });
    transport.close();
    expect(calls).toEqual([
      `/run/i.sock ${PULL}`,
      `/run/c.sock ${RUN}`,
      '/run/c.sock events',
      '/run/c.sock closed',
      '/run/i.sock closed',
    ]);
  });
});
