import { describe, expect, it } from 'vitest';
import { defaultInterface, nodeAddresses, type AddressInput } from '../../../src/node/object/node-addresses.ts';

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
  cloud: undefined,
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
      rule: "a cloud provider's addresses are kept",
      given: { cloud: { existing: [{ type: 'ExternalIP', address: '203.0.113.1' }] }, nodeIps: ['10.0.0.7'] },
      says: 'E:203.0.113.1',
    },
    {
      rule: 'only the name before the cloud provider has set addresses',
      given: { cloud: { existing: [] } },
      says: 'H:node-1',
    },
    {
      rule: 'the configured address before the cloud provider has set addresses',
      given: { cloud: { existing: [] }, nodeIps: ['10.0.0.7'] },
      says: 'I:10.0.0.7 H:node-1',
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
