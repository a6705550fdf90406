import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { hostReader } from '../../src/host/host-reader.ts';
import { readMachineFacts, type MachineFacts } from '../../src/host/machine-facts.ts';
import type { HostAddress } from '../../src/node/object/node-addresses.ts';

/** Facts about the machine that the node's status needs. */
export interface NodeHost {
  /** Read again at each call. */
  machine(): MachineFacts;
  addresses(): readonly HostAddress[];
  /** The kernel's routing tables, IPv4 and IPv6, as text. */
  routes(): readonly [route: string, route6: string];
  /** Addresses of a name; empty when the name does not resolve. Takes as long as the resolver does. */
  resolve(name: string): Promise<readonly string[]>;
}

export const nodeHost = (rootDir: string): NodeHost => ({
  machine: () => readMachineFacts(hostReader, rootDir),
  addresses: () =>
    Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map(({ address }) => ({ interface: name, address })),
    ),
  routes: () => [hostReader.read('/proc/net/route') ?? '', hostReader.read('/proc/net/ipv6_route') ?? ''],
  async resolve(name) {
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } catch {
      return [];
    }
  },
});
