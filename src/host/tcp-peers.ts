import type { Duplex } from 'node:stream';
import { elapsedMs, later, type Clock, type MonotonicMs } from '../actor/clock.ts';
import type { HostReader } from './machine-facts.ts';

/** Says whether the other end of a connection has gone, also while nothing is read from the connection. */
export interface ConnectionPeers {
  /** `true` if the peer has ended its direction or the connection is broken. `false` when that is not known. */
  hasLeft(connection: Duplex): boolean;
}

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** A table is read at most this often, and takes at most one part in twenty of the thread's time. */
const FRESH_MS = 500;
const SHARE = 20;

/** Addresses of both ends and the state, as the kernel writes them. */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) /gm;
/** The same connection of one machine stands in both tables, if one end uses IPv4 through IPv6. */
const MAPPED = '0000000000000000FFFF0000';
const plain = (address: string): string => (address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address);

/** Established, or only this end has ended its direction. */
const PEER_IS_THERE = new Set(['01', '04', '05']);
/** This end has ended its direction, or has closed. */
const HAS_ENDED = new Set(['04', '05', '06', '07', '09', '0B']);

/**
 * Returns the connections of the kernel's table whose peer is there, as `<local port>:<remote port>`. A peer on the same
 * machine has a row too. The row shows the end of the peer also while bytes that nobody reads hold back the notice of it.
 */
export function presentPeers(table: string): ReadonlySet<string> {
  const rows = [...table.matchAll(ROW)].map(
    ([, local = '', localPort = '', remote = '', remotePort = '', state = '']) => ({
      here: `${plain(local)}:${localPort}`,
      there: `${plain(remote)}:${remotePort}`,
      ports: `${Number.parseInt(localPort, 16)}:${Number.parseInt(remotePort, 16)}`,
      state,
    }),
  );
  const ended = new Set(rows.flatMap(({ here, there, state }) => (HAS_ENDED.has(state) ? [`${here} ${there}`] : [])));
  const isThere = ({ here, there, state }: (typeof rows)[number]): boolean =>
    PEER_IS_THERE.has(state) && !ended.has(`${there} ${here}`);
  return new Set(rows.filter(isThere).map(({ ports }) => ports));
}

/**
 * Looks into the kernel's table of connections. A connection that is not read, since the reader of its bytes is slow,
 * reports no end of its peer: Node then asks the kernel for nothing. The end of a peer on another machine is unknown
 * while its bytes wait for this one. Two connections with equal ports at both ends
 * count as one: then a peer that left may go unnoticed, and no peer counts as gone that is there.
 */
export function kernelPeers(host: Pick<HostReader, 'read'>, clock: Pick<Clock, 'monotonic'>): ConnectionPeers {
  let present: ReadonlySet<string> | undefined;
  let readAgainAt: MonotonicMs | undefined;
  const look = (): ReadonlySet<string> | undefined => {
    const began = clock.monotonic();
    if (readAgainAt !== undefined && began < readAgainAt) return present;
    const tables = TABLES.map((table) => host.read(table));
    // Without any table nothing is known, and no connection may count as gone.
    present = tables.every((each) => each === undefined) ? undefined : presentPeers(tables.join('\n'));
    const ended = clock.monotonic();
    readAgainAt = later(ended, Math.max(FRESH_MS, elapsedMs(began, ended) * SHARE));
    return present;
  };
  return {
    hasLeft(connection) {
      // Only a socket has ports.
      const { localPort, remotePort } = connection as Partial<Record<'localPort' | 'remotePort', number>>;
      if (localPort === undefined) return false;
      // The kernel no longer names the peer of a connection that was reset.
      if (remotePort === undefined) return true;
      return look()?.has(`${localPort}:${remotePort}`) === false;
    },
  };
}
