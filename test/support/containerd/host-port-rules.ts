import { runProgram } from './run-program.ts';

/**
 * The iptables-restore input that takes one network's host-port chains out of a saved nat table, or `undefined` when
 * it has none. The portmap plugin names the network in the comment of the rule that jumps to a pod's own chain.
 */
export function withoutHostPortRules(savedNatTable: string, network: string): string | undefined {
  const jumps = savedNatTable
    .split('\n')
    .filter((line) => line.startsWith('-A ') && line.includes(`name: \\"${network}\\"`));
  if (jumps.length === 0) return undefined;
  const chains = jumps.map((line) => / -j (CNI-\S+)/.exec(line)?.[1]).filter((chain) => chain !== undefined);
  return [
    '*nat',
    ...jumps.map((line) => line.replace(/^-A /, '-D ')),
    ...new Set(chains.flatMap((chain) => [`-F ${chain}`, `-X ${chain}`])),
    'COMMIT',
    '',
  ].join('\n');
}

/** Removes the host-port rules of pods whose network was never torn down by its own plugin. */
export async function removeHostPortRules(network: string): Promise<void> {
  const change = withoutHostPortRules(await runProgram('iptables-save', ['-t', 'nat']), network);
  if (change !== undefined) await runProgram('iptables-restore', ['--noflush'], { input: change });
}
