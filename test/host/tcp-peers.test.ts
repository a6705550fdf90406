import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hostReader } from '../../src/host/host-reader.ts';
import { kernelPeers, presentPeers } from '../../src/host/tcp-peers.ts';
import { manualClock } from '../support/manual-clock.ts';

const LOOPBACK = '0100007F';
const MAPPED = `0000000000000000FFFF0000${LOOPBACK}`;
const row = (local: string, remote: string, state: string): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1 0000 20 4 30 10 -1\n`;
const [SERVER, CLIENT] = [`${LOOPBACK}:280A`, `${LOOPBACK}:C350`];

describe('the peer of a connection in the table of the kernel', () => {
  it.each<[string, string, boolean]>([
    ['is there while the connection is established', row(SERVER, CLIENT, '01'), true],
    ['is there after this end has ended its direction', row(SERVER, CLIENT, '05'), true],
    ['has gone when it ended its direction', row(SERVER, CLIENT, '08'), false],
    ['has gone when both have ended', row(SERVER, CLIENT, '09'), false],
    ['has gone when the connection was reset, and has no row', '', false],
    ['is there with a row of its own', row(SERVER, CLIENT, '01') + row(CLIENT, SERVER, '01'), true],
    ['has gone when its own row says so', row(SERVER, CLIENT, '01') + row(CLIENT, SERVER, '04'), false],
    [
      'has gone when its own row says so in the other table',
      row(`${MAPPED}:280A`, `${MAPPED}:C350`, '01') + row(CLIENT, SERVER, '04'),
      false,
    ],
    [
      'is there although another connection with these ports has ended',
      row(SERVER, CLIENT, '01') + row(`0200007F:C350`, SERVER, '04'),
      true,
    ],
    ['is unknown in another text', '  sl  local_address rem_address   st\n', false],
  ])('%s', (_, table, isThere) => {
    expect(presentPeers(table).has('10250:50000')).toBe(isThere);
  });

  it('is read at most twice a second', () => {
    const clock = manualClock();
    let reads = 0;
    const peers = kernelPeers({ read: () => (reads++, '') }, clock);
    const connection = Object.assign(new Duplex(), { localPort: 1, remotePort: 2 });
    for (let count = 0; count < 10; count++) expect(peers.hasLeft(connection)).toBe(true);
    expect(reads).toBe(2);
    clock.advance(500);
    peers.hasLeft(connection);
    expect(reads).toBe(4);
  });

  it('counts as there where nothing is known of it', () => {
    const connection = Object.assign(new Duplex(), { localPort: 1, remotePort: 2 });
    expect(kernelPeers({ read: () => undefined }, manualClock()).hasLeft(connection)).toBe(false);
    expect(kernelPeers({ read: () => '' }, manualClock()).hasLeft(new Duplex())).toBe(false);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => void socket.destroy()],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ])('is found to have gone on this machine (%s)', async (_, leave) => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A server that listens on a port has such an address.
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const clock = manualClock();
    const peers = kernelPeers(hostReader, clock);
    expect(peers.hasLeft(accepted)).toBe(false);
    leave(client);
    await once(client, 'close');
    clock.advance(1_000);
    expect(peers.hasLeft(accepted)).toBe(true);
    accepted.destroy();
    server.close();
  });
});
