import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { hostReader } from '../../src/host/host-reader.ts';
import { readMachineFacts, type MachineFacts } from '../../src/host/machine-facts.ts';
import type { HostAddress } from '../../src/node/object/node-addresses.ts';

/** What the node's status asks of the machine it is on. */
export interface NodeHost {
  /** Read anew each time. */
  machine(): MachineFacts;
  addresses(): readonly HostAddress[];
  /** The kernel's routing tables, IPv4 and IPv6, as text. */
  routes(): readonly [route: string, route6: string];
  /** What a name resolves to; nothing when it does not. May take as long as the resolver likes. */
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
