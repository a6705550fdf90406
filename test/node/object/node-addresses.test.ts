import { describe, expect, it } from 'vitest';
import type { NodeAddress } from '../../../src/kube/node.ts';
import {
  defaultInterface,
  hostIpsOf,
  publishedAddresses,
  nodeAddresses,
  type AddressInput,
} from '../../../src/node/object/node-addresses.ts';

const base: AddressInput = {
  nodeName: 'node-1',
  nodeIps: [],
  hostAddresses: [
    { interface: 'lo', address: '127.0.0.1' },
    { interface: 'eth0', address: '10.0.0.7' },
    { interface: 'eth0', address: 'fe80::1' },
    { interface: 'eth0', address: 'fd00::7' },
    { interface: 'eth1', address: '192.168.1.5' },
  ],
  resolved: [],
  defaultInterface: 'eth0',
  externalCloudProvider: false,
};

/** The addresses, each behind the first letter of its kind, or the problem. */
function answer(change: Partial<AddressInput>): string {
  const result = nodeAddresses({ ...base, ...change });
  if (!result.ok) return result.message;
  return result.addresses.map(({ type, address }) => `${type === 'Hostname' ? 'H' : type[0]}:${address}`).join(' ');
}

describe('the addresses of a node', () => {
  it.each<{ rule: string; given: Partial<AddressInput>; says: string }>([
    { rule: 'the address of the default route', given: {}, says: 'I:10.0.0.7 H:node-1' },
    { rule: 'the configured address', given: { nodeIps: ['192.168.1.5'] }, says: 'I:192.168.1.5 H:node-1' },
    {
      rule: 'both configured addresses, in order',
      given: { nodeIps: ['fd00::7', '10.0.0.7'] },
      says: 'I:fd00::7 I:10.0.0.7 H:node-1',
    },
    { rule: 'the address of the preferred family', given: { nodeIps: ['::'] }, says: 'I:fd00::7 H:node-1' },
    { rule: 'IPv4 when it is preferred', given: { nodeIps: ['0.0.0.0'] }, says: 'I:10.0.0.7 H:node-1' },
    { rule: 'the name, if it is an address', given: { nodeName: '192.168.1.5' }, says: 'I:192.168.1.5 H:192.168.1.5' },
    {
      rule: 'the address that the name resolves to',
      given: { resolved: ['192.168.1.5'] },
      says: 'I:192.168.1.5 H:node-1',
    },
    {
      rule: 'the first resolved address of the preferred family',
      given: { resolved: ['fd00::7', '192.168.1.5'] },
      says: 'I:192.168.1.5 H:node-1',
    },
    {
      rule: 'an address of the other family without a preferred one',
      given: { resolved: ['fd00::7'] },
      says: 'I:fd00::7 H:node-1',
    },
    {
      rule: 'no loopback address, and no address of another host',
      given: { resolved: ['127.0.0.1', '203.0.113.9'] },
      says: 'I:10.0.0.7 H:node-1',
    },
    {
      rule: 'no address is an error',
      given: { defaultInterface: undefined },
      says: "can't get ip address of node node-1",
    },
    {
      rule: 'no configured address without an interface',
      given: { nodeIps: ['10.9.9.9'] },
      says: 'the node IP 10.9.9.9 is on no interface of this host',
    },
    {
      rule: 'no configured loopback address',
      given: { nodeIps: ['127.0.0.1'] },
      says: 'the node IP 127.0.0.1 is a loopback address',
    },
    {
      rule: 'no configured link-local address',
      given: { nodeIps: ['fe80::1'] },
      says: 'the node IP fe80::1 is a link-local address',
    },
    {
      rule: 'no configured multicast address',
      given: { nodeIps: ['224.0.0.1'] },
      says: 'the node IP 224.0.0.1 is a multicast address',
    },
    {
      rule: 'only the name before the cloud provider has set addresses',
      given: { externalCloudProvider: true },
      says: 'H:node-1',
    },
    {
      rule: 'the configured address before the cloud provider has set addresses',
      given: { externalCloudProvider: true, nodeIps: ['10.0.0.7'] },
      says: 'I:10.0.0.7 H:node-1',
    },
    {
      rule: 'an address of the preferred family before the cloud provider has set addresses',
      given: { externalCloudProvider: true, nodeIps: ['::'] },
      says: 'I:fd00::7 H:node-1',
    },
  ])('$rule', ({ given, says }) => {
    expect(answer(given)).toBe(says);
  });
});

describe('the interface of the default route', () => {
  const head = 'Iface\tDestination\tGateway \tFlags\n';
  const zeros = '0'.repeat(32);
  it.each([
    {
      rule: 'of IPv4',
      route: `${head}eth1\t0001A8C0\t00000000\t0001\neth0\t00000000\t0100000A\t0003\n`,
      route6: '',
      is: 'eth0',
    },
    {
      rule: 'is the IPv6 one without another',
      route: head,
      route6: `${zeros} 00 ${zeros} 00 fe800000 00000400 1 0 3 eth2\n`,
      is: 'eth2',
    },
    {
      rule: 'is absent for a route without a gateway',
      route: `${head}eth0\t00000000\t00000000\t0001\n`,
      route6: '',
      is: undefined,
    },
    {
      rule: 'is never the loopback',
      route: '',
      route6: `${zeros} 00 ${zeros} 00 0 ffffffff 1 0 200200 lo\n`,
      is: undefined,
    },
  ])('$rule', ({ route, route6, is }) => {
    expect(defaultInterface(route, route6)).toBe(is);
  });
});

describe('the addresses for the Node object', () => {
  const own: readonly NodeAddress[] = [{ type: 'InternalIP', address: '10.0.0.7' }];
  const set: readonly NodeAddress[] = [{ type: 'ExternalIP', address: '203.0.113.1' }];
  it.each([
    { rule: 'are its own', existing: set, externalCloudProvider: false, are: own },
    { rule: "are a cloud provider's, once set", existing: set, externalCloudProvider: true, are: set },
    { rule: 'are its own until a cloud provider sets others', existing: [], externalCloudProvider: true, are: own },
    { rule: 'are its own on a new object', existing: undefined, externalCloudProvider: true, are: own },
  ])('$rule', ({ existing, externalCloudProvider, are }) => {
    expect(publishedAddresses(existing, own, { externalCloudProvider })).toEqual(are);
  });
});

describe('the addresses that pods report as their host’s', () => {
  const addresses = (text: string): readonly NodeAddress[] =>
    text.split(' ').flatMap((each) => {
      const [type = '', ...address] = each.split(':');
      const types = { I: 'InternalIP', E: 'ExternalIP', H: 'Hostname' } as const;
      return type === '' ? [] : [{ type: types[type as keyof typeof types], address: address.join(':') }];
    });
  it.each([
    { rule: 'one address of a node with one family', given: 'I:10.0.0.7 H:node-1', are: '10.0.0.7' },
    { rule: 'one address of each family, as listed', given: 'I:fd00::7 I:10.0.0.7 H:node-1', are: 'fd00::7,10.0.0.7' },
    { rule: 'no second address of the same family', given: 'I:10.0.0.7 I:10.0.0.8', are: '10.0.0.7' },
    { rule: 'an internal address before an external one', given: 'E:203.0.113.9 I:10.0.0.7', are: '10.0.0.7' },
    { rule: 'an external address where there is no internal one', given: 'H:node-1 E:203.0.113.9', are: '203.0.113.9' },
    { rule: 'an external address of the other family', given: 'E:2001:db8::9 I:10.0.0.7', are: '10.0.0.7,2001:db8::9' },
    { rule: 'nothing but addresses', given: 'I:node-1.example I:10.0.0.7', are: '10.0.0.7' },
    { rule: 'not the host name', given: 'H:10.0.0.7', are: '' },
    { rule: 'none without addresses', given: '', are: '' },
  ])('are $rule', ({ given, are }) => {
    expect(hostIpsOf(addresses(given)).join()).toBe(are);
  });
});
