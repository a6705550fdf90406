import type { Family } from './protocol.ts';

export const FAMILIES: readonly Family[] = ['IPv4', 'IPv6'];

/** A chain or a rule that must exist. */
export type Ensured =
  | { readonly type: 'chain'; readonly table: string; readonly chain: string }
  | {
      readonly type: 'rule';
      readonly table: string;
      readonly chain: string;
      readonly place: 'first' | 'last';
      readonly rule: readonly string[];
    };

const chain = (table: string, name: string): Ensured => ({ type: 'chain', table, chain: name });

/** Its presence says which of iptables-legacy and iptables-nft this host uses. */
const HINT = 'KUBE-IPTABLES-HINT';
const FIREWALL = 'KUBE-FIREWALL';
const CANARY = 'KUBE-KUBELET-CANARY';

const fromChain = (builtIn: string): Ensured => ({
  type: 'rule',
  table: 'filter',
  chain: builtIn,
  place: 'first',
  rule: ['-j', FIREWALL],
});

/**
 * Drops packets to a loopback address that come from elsewhere (CVE-2020-8558): kube-proxy's `route_localnet` would let
 * them in. kube-proxy makes the same rule, so its words must stay the same. IPv6 has no such hole.
 */
const firewall: readonly Ensured[] = [
  chain('filter', FIREWALL),
  fromChain('OUTPUT'),
  fromChain('INPUT'),
  {
    type: 'rule',
    table: 'filter',
    chain: FIREWALL,
    place: 'last',
    // prettier-ignore
    rule: [
      '-m', 'comment', '--comment', 'block incoming localnet connections',
      '--dst', '127.0.0.0/8', '!', '--src', '127.0.0.0/8',
      '-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT', '-j', 'DROP',
    ],
  },
];

/** Returns what a family must have, in the order in which it is made. */
export const ensuredFor = (family: Family): readonly Ensured[] => [
  chain('mangle', HINT),
  ...(family === 'IPv4' ? firewall : []),
];

/** The table that is looked at, and those that a flush empties with it. */
export const CANARY_TABLES = { first: 'mangle', others: ['nat', 'filter'] } as const;

export const canaries: readonly Ensured[] = [CANARY_TABLES.first, ...CANARY_TABLES.others].map((table) =>
  chain(table, CANARY),
);

/** The arguments of `iptables`, each for one question or one change. */
export const questions = {
  /** Succeeds if the kernel and the program support the family. */
  isPresent: ['-S', 'POSTROUTING', '-t', 'nat'],
  canaryIn: (table: string): readonly string[] => ['-S', CANARY, '-t', table],
  isThere: ({ table, chain: name, rule }: Extract<Ensured, { type: 'rule' }>): readonly string[] => [
    '-C',
    name,
    '-t',
    table,
    ...rule,
  ],
};

export function changeFor(ensured: Ensured): readonly string[] {
  const { table, chain: name } = ensured;
  if (ensured.type === 'chain') return ['-N', name, '-t', table];
  return [ensured.place === 'first' ? '-I' : '-A', name, '-t', table, ...ensured.rule];
}
