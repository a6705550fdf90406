import { describe, expect, it } from 'vitest';
import { lookAtFamily, type Iptables, type IptablesEnd } from '../../../actors/iptables-chains/look-at-family.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** The chains and rules of one family, as `iptables` sees them. */
class FakeTables implements Iptables {
  readonly chains = new Set(['POSTROUTING@nat', 'INPUT@filter', 'OUTPUT@filter']);
  readonly rules: string[] = [];
  readonly ran: string[] = [];
  /** The end of the commands that begin so, in place of their effect. */
  readonly refuses = new Map<string, IptablesEnd>();

  run(_family: string, args: readonly string[]): Promise<IptablesEnd> {
    const command = args.join(' ');
    this.ran.push(command);
    const refused = [...this.refuses].find(([start]) => command.startsWith(start));
    return Promise.resolve(refused?.[1] ?? this.#end(args));
  }

  #end([operation = '', chain = '', , table = '', ...rule]: readonly string[]): IptablesEnd {
    const end = (isFine: boolean): IptablesEnd => ({ code: isFine ? 0 : 1, text: isFine ? '' : 'no' });
    const name = `${chain}@${table}`;
    const text = `${name} ${rule.join(' ')}`;
    switch (operation) {
      case '-S':
        return end(this.chains.has(name));
      case '-N':
        return end(this.chains.size !== this.chains.add(name).size);
      case '-C':
        return end(this.rules.includes(text));
      case '-I':
        this.rules.unshift(text);
        return end(true);
      case '-A':
        this.rules.push(text);
        return end(true);
      default:
        return { code: 2, text: `no such operation: ${operation}` };
    }
  }
}

const clock = manualClock();

describe('a look at one family', () => {
  it('makes the chains, the guard of loopback addresses and the canaries of IPv4', async () => {
    const iptables = new FakeTables();
    expect(await lookAtFamily({ family: 'IPv4', state: 'new' }, { iptables, clock })).toEqual({
      family: 'IPv4',
      outcome: { type: 'made' },
    });
    expect([...iptables.chains].slice(3)).toEqual([
      'KUBE-IPTABLES-HINT@mangle',
      'KUBE-FIREWALL@filter',
      'KUBE-KUBELET-CANARY@mangle',
      'KUBE-KUBELET-CANARY@nat',
      'KUBE-KUBELET-CANARY@filter',
    ]);
    expect(iptables.rules).toEqual([
      'INPUT@filter -j KUBE-FIREWALL',
      'OUTPUT@filter -j KUBE-FIREWALL',
      'KUBE-FIREWALL@filter -m comment --comment block incoming localnet connections --dst 127.0.0.0/8 ! --src 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
    ]);
  });

  it('makes only the hint and the canaries of IPv6', async () => {
    const iptables = new FakeTables();
    await lookAtFamily({ family: 'IPv6', state: 'new' }, { iptables, clock });
    expect(iptables.rules).toEqual([]);
    expect(iptables.chains).not.toContain('KUBE-FIREWALL@filter');
    expect(iptables.chains).toContain('KUBE-IPTABLES-HINT@mangle');
  });

  it('changes nothing where everything is there already', async () => {
    const iptables = new FakeTables();
    await lookAtFamily({ family: 'IPv4', state: 'new' }, { iptables, clock });
    const [chains, rules] = [[...iptables.chains], [...iptables.rules]];
    await lookAtFamily({ family: 'IPv4', state: 'unmade' }, { iptables, clock });
    expect([[...iptables.chains], iptables.rules]).toEqual([chains, rules]);
  });

  it('costs one process while the canary is there', async () => {
    const iptables = new FakeTables();
    iptables.chains.add('KUBE-KUBELET-CANARY@mangle');
    const { outcome } = await lookAtFamily({ family: 'IPv4', state: 'made' }, { iptables, clock });
    expect(outcome).toEqual({ type: 'untouched' });
    expect(iptables.ran).toEqual(['-S KUBE-KUBELET-CANARY -t mangle']);
  });

  it('waits after a flush until all tables are flushed', async () => {
    const time = manualClock();
    const iptables = new FakeTables();
    iptables.chains.add('KUBE-KUBELET-CANARY@filter');
    const looked = lookAtFamily({ family: 'IPv4', state: 'made' }, { iptables, clock: time });
    await time.advanceAndSettle(1_000);
    expect(iptables.ran.filter((command) => command.startsWith('-N'))).toEqual([]);
    iptables.chains.delete('KUBE-KUBELET-CANARY@filter');
    await time.advanceAndSettle(200);
    expect((await looked).outcome).toEqual({ type: 'made' });
    expect(iptables.chains).toContain('KUBE-KUBELET-CANARY@filter');
  });

  it('does not wait for ever for a table that is not flushed', async () => {
    const time = manualClock();
    const iptables = new FakeTables();
    iptables.chains.add('KUBE-KUBELET-CANARY@filter');
    const looked = lookAtFamily({ family: 'IPv4', state: 'made' }, { iptables, clock: time });
    await time.advanceAndSettle(6_000);
    expect((await looked).outcome).toEqual({ type: 'made' });
  });

  it.each([
    {
      rule: 'the program is missing',
      start: '-S POSTROUTING',
      end: { code: undefined, text: 'spawn iptables ENOENT' },
    },
    { rule: 'the kernel has no such tables', start: '-S POSTROUTING', end: { code: 3, text: 'Table does not exist' } },
  ])('finds no iptables where $rule', async ({ start, end }) => {
    const iptables = new FakeTables();
    iptables.refuses.set(start, end);
    const { outcome } = await lookAtFamily({ family: 'IPv4', state: 'new' }, { iptables, clock });
    expect(outcome).toEqual({ type: 'absent' });
    expect(iptables.ran).toHaveLength(1);
  });

  it.each([
    {
      rule: 'a chain is refused',
      state: 'new',
      start: '-N KUBE-FIREWALL',
      end: { code: 4, text: 'Resource temporarily unavailable' },
      problem: 'chain KUBE-FIREWALL of table filter cannot be changed: Resource temporarily unavailable',
    },
    {
      rule: 'a rule cannot be read',
      state: 'new',
      start: '-C OUTPUT',
      end: { code: 2, text: 'unknown option' },
      problem: 'chain OUTPUT of table filter cannot be read: unknown option',
    },
    {
      rule: 'a rule is refused',
      state: 'unmade',
      start: '-A KUBE-FIREWALL',
      end: { code: 1, text: 'No chain/target/match by that name' },
      problem: 'chain KUBE-FIREWALL of table filter cannot be changed: No chain/target/match by that name',
    },
    {
      rule: 'the canary cannot be read, which is no flush',
      state: 'made',
      start: '-S KUBE-KUBELET-CANARY',
      end: { code: 4, text: 'Another app is holding the xtables lock' },
      problem: 'Another app is holding the xtables lock',
    },
    {
      rule: 'the program hangs',
      state: 'made',
      start: '-S',
      end: { code: undefined, text: 'took longer than 15 s' },
      problem: 'took longer than 15 s',
    },
  ] as const)('fails with its reason where $rule', async ({ state, start, end, problem }) => {
    const iptables = new FakeTables();
    iptables.refuses.set(start, end);
    const { outcome } = await lookAtFamily({ family: 'IPv4', state }, { iptables, clock });
    expect(outcome).toEqual({ type: 'failed', problem });
  });
});
