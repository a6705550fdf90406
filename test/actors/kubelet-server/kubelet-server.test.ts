import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { KubeletServer } from '../../../actors/kubelet-server/actor.ts';
import type { KubeletServerProtocol, ListenerName } from '../../../actors/kubelet-server/protocol.ts';
import { decide, initialState } from '../../../actors/kubelet-server/state.ts';
import type { NodeServer, TlsFiles } from '../../../src/serving/node-server.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { serverUnderTest } from '../../serving/server-under-test.ts';

describe('the listeners of the server', () => {
  const failed = { type: 'listen-failed', listener: 'secure', problem: 'taken' } as const;
  it('are logged once when they cannot be opened, and retried with a back-off up to five seconds', () => {
    const first = decide(initialState, failed);
    expect(first.effects).toEqual([
      { type: 'report-problem', listener: 'secure', problem: 'taken' },
      { type: 'try-later', listener: 'secure', inMs: 250 },
    ]);
    let { next } = first;
    for (const inMs of [500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      const again = decide(next, failed);
      expect(again.effects).toEqual([{ type: 'try-later', listener: 'secure', inMs }]);
      ({ next } = again);
    }
    const open = decide(next, { type: 'listening', listener: 'secure', port: 7 });
    expect(open.next.ports).toEqual(new Map([['secure', 7]]));
    expect(decide(open.next, failed).effects).toEqual(first.effects);
  });
});

describe('the actor of the server', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const server = (more: Partial<NodeServer> = {}): NodeServer => ({
    port: 1,
    setTls: () => false,
    close: () => Promise.resolve(),
    ...more,
  });
  const actor = (listener: () => Promise<NodeServer>, readTls: () => TlsFiles = () => noFiles) => {
    const open = new Map<ListenerName, NodeServer>();
    return actorUnderTest<KubeletServerProtocol>({
      address: 'kubelet-server',
      others: {},
      make: (context) =>
        new KubeletServer(context, { listeners: new Map([['secure', listener] as const]), readTls, open }),
    });
  };
  const noFiles: TlsFiles = { certificate: undefined, clientCa: undefined };

  it('gives each server the certificates of the files, and keeps the current ones if the files cannot be read', async () => {
    const used: TlsFiles[] = [{ certificate: undefined, clientCa: 'one' }];
    const setTls = (tls: TlsFiles): boolean => {
      const isNew = tls.clientCa !== used.at(-1)?.clientCa;
      if (isNew) used.push(tls);
      return isNew;
    };
    // The file has changed between the start of the server and the first check.
    let clientCa: string | undefined = 'two';
    const read = (): TlsFiles => {
      if (clientCa === undefined) throw new Error('no such file');
      return { certificate: undefined, clientCa };
    };
    const { pass, logged } = await actor(() => Promise.resolve(server({ setTls })), read);
    const reloads = () => logged.filter((line) => line.includes('were reloaded')).length;
    await pass(10_000);
    expect([used.map((each) => each.clientCa), reloads()]).toEqual([['one', 'two'], 1]);
    clientCa = undefined;
    await pass(10_000);
    expect(logged.some((line) => line.includes('could not be reloaded'))).toBe(true);
    clientCa = 'two';
    await pass(10_000);
    expect([used.length, reloads()]).toEqual([2, 1]);
  });

  it('retries a port in use until it is free', async () => {
    let tries = 0;
    const { ask, pass } = await actor(() => {
      tries++;
      return tries < 3 ? Promise.reject(new Error('EADDRINUSE')) : Promise.resolve(server({ port: 10_250 }));
    });
    expect(await ask({ type: 'server-ports' })).toEqual(new Map());
    await pass(250);
    await pass(500);
    expect(await ask({ type: 'server-ports' })).toEqual(new Map([['secure', 10_250]]));
    expect(tries).toBe(3);
  });

  it('closes every client and runtime connection when it crashes amid fifty streams, and serves again', async () => {
    const held = new Set<Socket>();
    const runtime = createServer((socket) => {
      held.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => held.delete(socket));
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    ends.push(() => runtime.close());
    await once(runtime, 'listening');
    const streamUrl = `http://127.0.0.1:${(runtime.address() as AddressInfo).port}/exec/token`;
    const opened: NodeServer[] = [];
    const { crash } = await actor(async () => {
      const node = await serverUnderTest({ streamUrl, plain: true });
      node.reviews.tokens.set('good', { username: 'apiserver', groups: [] });
      node.reviews.rights.add('apiserver *');
      node.files.append('/var/log/pods/a_web_u1/main/0.log', '2026-01-01T00:00:00.0Z stdout F hello\n');
      opened.push(node.server);
      return node.server;
    });
    ends.push(() => Promise.all(opened.map((each) => each.close())));
    await expect.poll(() => opened.length).toBe(1);
    const client = async (request: string, more: string): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port: opened[0]?.port ?? 0 });
      socket.on('error', () => {});
      socket.write(`${request} HTTP/1.1\r\nHost: n\r\nAuthorization: Bearer good\r\n${more}\r\n`);
      await once(socket, 'data');
      socket.resume();
      return socket;
    };
    const upgrade = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';
    const exec = () => client('POST /exec/a/web/main?output=1&command=ls', upgrade);
    const follow = () => client('GET /containerLogs/a/web/main?follow=true', '');
    const clients = await Promise.all([...Array.from({ length: 50 }, exec), ...Array.from({ length: 50 }, follow)]);
    expect(held.size).toBe(50);
    const closed = Promise.all(clients.map((socket) => once(socket, 'close')));
    await crash();
    await closed;
    await expect.poll(() => held.size).toBe(0);
    await expect.poll(() => opened.length).toBe(2);
    expect((await fetch(`http://127.0.0.1:${opened[1]?.port}/pods`)).status).toBe(401);
  });
});
