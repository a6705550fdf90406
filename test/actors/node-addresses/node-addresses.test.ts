import { describe, expect, it } from 'vitest';
import { NodeAddresses } from '../../../actors/node-addresses/actor.ts';
import type { NodeAddressesProtocol } from '../../../actors/node-addresses/protocol.ts';
import type { HostAddress } from '../../../src/host/host-addresses.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

async function addressesOf({
  has = '10.0.0.7',
  resolve = () => Promise.resolve<readonly string[]>([]),
}: { readonly has?: string | undefined; readonly resolve?: () => Promise<readonly string[]> } = {}) {
  const host: { addresses: readonly HostAddress[] } = { addresses: [{ interface: 'eth0', address: has }] };
  const actor = await actorUnderTest<NodeAddressesProtocol>({
    address: 'node-addresses',
    make: (context) =>
      new NodeAddresses(context, {
        host: {
          addresses: () => host.addresses,
          routes: () => ['Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0100000A\t0003\n', ''],
          resolve,
        },
        nodeName: 'node-1',
        nodeIps: [],
      }),
    others: { 'pod-manager': () => undefined },
  });
  const reported = () =>
    actor.take('pod-manager').map((notice) => {
      // The pod manager receives nothing else here.
      const { addresses } = notice as unknown as { readonly addresses: readonly { readonly address: string }[] };
      return addresses.map(({ address }) => address).join(' ');
    });
  return { ...actor, host, reported };
}

describe('the addresses of a node without an API server', () => {
  it('are reported, and answered, as the host has them', async () => {
    const { reported, ask } = await addressesOf();
    expect(reported()).toEqual(['10.0.0.7 node-1']);
    expect(await ask({ type: 'node-addresses' })).toMatchObject({ from: 'host' });
  });

  it('are followed: a change is reported within ten seconds', async () => {
    const { reported, host, pass } = await addressesOf();
    reported();
    host.addresses = [{ interface: 'eth0', address: '10.0.0.8' }];
    await pass(10_000);
    expect(reported().at(-1)).toBe('10.0.0.8 node-1');
  });

  it('are reported again, since a notice may be lost', async () => {
    const { reported, pass } = await addressesOf();
    reported();
    await pass(10_000);
    expect(reported()).toEqual(['10.0.0.7 node-1']);
  });

  it('are none while the host has none, with one line in the log', async () => {
    const { reported, host, pass, logged } = await addressesOf();
    reported();
    host.addresses = [];
    await pass(10_000);
    await pass(10_000);
    expect(reported().at(-1)).toBe('');
    expect(logged.filter((line) => line.includes('no address'))).toHaveLength(1);
  });

  it('do not wait for a name resolution that hangs', async () => {
    const { reported, pass } = await addressesOf({ resolve: () => new Promise(() => {}) });
    expect(reported()).toEqual([]);
    await pass(3_000);
    expect(reported()).toEqual(['10.0.0.7 node-1']);
  });

  it('are found again after a crash', async () => {
    const { reported, crash, pass } = await addressesOf();
    reported();
    await crash();
    await pass(1_000);
    expect(reported()).toContain('10.0.0.7 node-1');
  });
});
