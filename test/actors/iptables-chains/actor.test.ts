import { describe, expect, it } from 'vitest';
import { IptablesChains, type IptablesChainsDeps } from '../../../actors/iptables-chains/actor.ts';
import type { IptablesEnd } from '../../../actors/iptables-chains/look-at-family.ts';
import type { IptablesChainsProtocol } from '../../../actors/iptables-chains/protocol.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

async function chains(end: () => IptablesEnd, makes: IptablesChainsDeps['makes'] = 'chains') {
  const ran: string[] = [];
  const test = await actorUnderTest<IptablesChainsProtocol>({
    address: 'iptables-chains',
    others: { 'health-monitor': () => undefined },
    make: (context) =>
      new IptablesChains(context, {
        makes,
        iptables: {
          run(family, args) {
            ran.push(`${family} ${args[0]} ${args[1]}`);
            return Promise.resolve(end());
          },
        },
      }),
  });
  return { ...test, ran };
}

describe('the actor of the iptables chains', () => {
  it('looks for the canary each minute', async () => {
    const test = await chains(() => ({ code: 0, text: '' }));
    test.ran.length = 0;
    await test.pass(60_000);
    await test.pass(60_000);
    const each = ['IPv4 -S KUBE-KUBELET-CANARY', 'IPv6 -S KUBE-KUBELET-CANARY'];
    expect(test.ran).toEqual([...each, ...each]);
  });

  it('is idle where the configuration makes no chains', async () => {
    const test = await chains(() => ({ code: 0, text: '' }), 'nothing');
    await test.pass(120_000);
    expect(test.ran).toEqual([]);
  });

  it('looks once where no iptables can be used, and says so once', async () => {
    const test = await chains(() => ({ code: undefined, text: 'spawn iptables ENOENT' }));
    await test.pass(600_000);
    expect(test.ran).toEqual(['IPv4 -S POSTROUTING', 'IPv6 -S POSTROUTING']);
    expect(test.logged).toEqual([
      'info: no iptables can be used on this host: the chain KUBE-IPTABLES-HINT is not made',
    ]);
  });

  it('reports a lasting refusal as a failing duty, and looks again each minute', async () => {
    let code = 0;
    const test = await chains(() => ({ code, text: 'lock is held' }));
    code = 4;
    await test.pass(60_000);
    await test.pass(60_000);
    const failing = test.told.filter(({ to, command }) => to === 'health-monitor' && command.type === 'duty-failing');
    expect(failing.length).toBeGreaterThan(0);
    code = 0;
    await test.pass(60_000);
    expect(test.logged.at(-1)).toContain('chains of IPv6 are made');
  });
});
