import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { hostReader } from './host-reader.ts';

export interface HostAddress {
  readonly interface: string;
  readonly address: string;
}

/** The addresses of this machine, read again at each call. */
export interface AddressHost {
  addresses(): readonly HostAddress[];
  /** The kernel's routing tables, IPv4 and IPv6, as text. */
  routes(): readonly [route: string, route6: string];
  /** Addresses of a name; empty when the name does not resolve. Takes as long as the resolver does. */
  resolve(name: string): Promise<readonly string[]>;
}

export const addressHost: AddressHost = {
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
};
