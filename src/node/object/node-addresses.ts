import { BlockList, isIP } from 'node:net';
import type { HostAddress } from '../../host/host-addresses.ts';
import type { NodeAddress } from '../../kube/node.ts';

export interface AddressInput {
  readonly nodeName: string;
  /** The addresses from `--node-ip`: at most one of each family; `0.0.0.0` and `::` only prefer a family. */
  readonly nodeIps: readonly string[];
  readonly hostAddresses: readonly HostAddress[];
  /** The addresses of the node's name, in the resolver's order. */
  readonly resolved: readonly string[];
  /** The interface of the default route. */
  readonly defaultInterface: string | undefined;
  readonly externalCloudProvider: boolean;
}

export type AddressResult =
  { readonly ok: true; readonly addresses: readonly NodeAddress[] } | { readonly ok: false; readonly message: string };

const unspecified = new Set(['0.0.0.0', '::']);

/** `false` for an address that only prefers its family. */
export const isSpecified = (ip: string): boolean => !unspecified.has(ip);

const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
const multicast = new BlockList();
multicast.addSubnet('224.0.0.0', 4, 'ipv4');
multicast.addSubnet('ff00::', 8, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Returns why an address cannot be a node's; `undefined` when it can. */
function unfit(address: string): string | undefined {
  if (isIP(address) === 0) return 'is not an IP address';
  if (unspecified.has(address)) return 'is the unspecified address';
  if (loopback.check(address, family(address))) return 'is a loopback address';
  if (multicast.check(address, family(address))) return 'is a multicast address';
  return linkLocal.check(address, family(address)) ? 'is a link-local address' : undefined;
}

/**
 * Returns the addresses that a node publishes by itself: its internal ones, then its host name. An external cloud provider
 * replaces them (`publishedAddresses`).
 */
export function nodeAddresses(input: AddressInput): AddressResult {
  const { nodeName } = input;
  const chosen = input.nodeIps.filter(isSpecified);
  for (const ip of chosen) {
    const problem =
      unfit(ip) ??
      (input.hostAddresses.some(({ address }) => address === ip) ? undefined : 'is on no interface of this host');
    if (problem !== undefined) return { ok: false, message: `the node IP ${ip} ${problem}` };
  }
  const hostname: NodeAddress = { type: 'Hostname', address: nodeName };
  // The provider knows the other addresses. An unspecified `--node-ip` asks for the host's, until the provider sets others.
  if (input.externalCloudProvider && input.nodeIps.length === 0) return { ok: true, addresses: [hostname] };
  const internal = chosen.length > 0 ? chosen : guessed(input);
  if (internal.length === 0) return { ok: false, message: `can't get ip address of node ${nodeName}` };
  return {
    ok: true,
    addresses: [...internal.map((address): NodeAddress => ({ type: 'InternalIP', address })), hostname],
  };
}

/**
 * Returns one address: the host name if it is an address, what the name resolves to, or the address of the default
 * route's interface.
 */
function guessed({ nodeName, nodeIps, hostAddresses, resolved, defaultInterface }: AddressInput): readonly string[] {
  if (isIP(nodeName) !== 0) return [nodeName];
  const preferred = nodeIps[0] === '::' ? 'ipv6' : 'ipv4';
  const onHost = new Set(hostAddresses.map(({ address }) => address));
  const best = (addresses: readonly string[]): string | undefined => {
    const fit = addresses.filter((address) => unfit(address) === undefined);
    return fit.find((address) => family(address) === preferred) ?? fit[0];
  };
  const routed = hostAddresses.filter((each) => each.interface === defaultInterface).map(({ address }) => address);
  const address = best(resolved.filter((each) => onHost.has(each))) ?? best(routed);
  return address === undefined ? [] : [address];
}

/** Returns the interface of the default route in the kernel's `/proc/net/route`, or else in `/proc/net/ipv6_route`. */
export function defaultInterface(route: string, route6: string): string | undefined {
  for (const line of route.split('\n').slice(1)) {
    const [name, destination, , flags] = line.trim().split(/\s+/);
    if (name !== undefined && destination === '00000000' && (Number(`0x${flags}`) & 3) === 3) return name;
  }
  for (const line of route6.split('\n')) {
    const fields = line.trim().split(/\s+/);
    const [destination, length] = fields;
    const name = fields[9];
    if (name !== undefined && name !== 'lo' && length === '00' && /^0+$/.test(destination ?? '')) return name;
  }
  return undefined;
}

/** Returns the addresses for the Node object. An external cloud provider decides: what the object has is kept. */
export const publishedAddresses = (
  existing: readonly NodeAddress[] | undefined,
  own: readonly NodeAddress[] | undefined,
  { externalCloudProvider }: Pick<AddressInput, 'externalCloudProvider'>,
): readonly NodeAddress[] | undefined =>
  externalCloudProvider && existing !== undefined && existing.length > 0 ? existing : own;

/**
 * Returns the addresses that pods of this node report as their host's: one address, or one of each family. An internal
 * address goes before an external one. Empty when the node has neither.
 */
export function hostIpsOf(addresses: readonly NodeAddress[]): readonly string[] {
  const ofType = (wanted: string) =>
    addresses.filter(({ type, address }) => type === wanted && isIP(address) !== 0).map(({ address }) => address);
  const all = [...ofType('InternalIP'), ...ofType('ExternalIP')];
  const [first] = all;
  if (first === undefined) return [];
  const second = all.find((address) => family(address) !== family(first));
  return second === undefined ? [first] : [first, second];
}
