import { type ChildProcess, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookAtFamily, type Iptables } from '../../../actors/iptables-chains/look-at-family.ts';
import { systemClock } from '../../../src/actor/clock.ts';
import { runBounded } from '../../../src/host/run-bounded.ts';
import { waitUntil } from '../../support/containerd/wait-until.ts';

/** A process in a network namespace of its own. */
let other: ChildProcess;

const namespaceOf = (pid: number | 'self'): string => readlinkSync(`/proc/${pid}/ns/net`);

beforeAll(async () => {
  other = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  const isApart = (): Promise<boolean> =>
    Promise.resolve(other.pid !== undefined && namespaceOf(other.pid) !== namespaceOf('self'));
  await waitUntil(isApart, { what: 'the test has a network namespace', withinMs: 10_000 });
});
afterAll(() => other.kill('SIGKILL'));

/** Runs a program in the test's namespace; refuses to run it in the machine's. */
async function inNamespace(command: string, args: readonly string[]) {
  const { pid } = other;
  if (pid === undefined || other.exitCode !== null || namespaceOf(pid) === namespaceOf('self'))
    throw new Error("the test has no network namespace; the machine's own stays as it is");
  const bounds = { env: process.env, withinMs: 20_000, maxBytes: 65_536 };
  return runBounded(
    { command: 'nsenter', args: [`--net=/proc/${pid}/ns/net`, command, ...args], ...bounds },
    systemClock,
  );
}

const iptables: Iptables = {
  async run(family, args) {
    const { code, complaint } = await inNamespace(family === 'IPv4' ? 'iptables' : 'ip6tables', ['-w', '5', ...args]);
    return { code, text: complaint };
  },
};

const shown = async (command: 'iptables' | 'ip6tables', table: string): Promise<readonly string[]> =>
  (await inNamespace(command, ['-w', '5', '-S', '-t', table])).output
    .split('\n')
    .filter((line) => line.includes('KUBE'));

describe('on real iptables', { timeout: 60_000 }, () => {
  const look = (family: 'IPv4' | 'IPv6', state: 'new' | 'made') =>
    lookAtFamily({ family, state }, { iptables, clock: systemClock });

  it('the chains are made, found again, and made again after a flush', async () => {
    const filter = [
      '-N KUBE-FIREWALL',
      '-N KUBE-KUBELET-CANARY',
      '-A INPUT -j KUBE-FIREWALL',
      '-A OUTPUT -j KUBE-FIREWALL',
      '-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
    ];
    const mangle = ['-N KUBE-IPTABLES-HINT', '-N KUBE-KUBELET-CANARY'];
    expect((await look('IPv4', 'new')).outcome).toEqual({ type: 'made' });
    expect(await shown('iptables', 'filter')).toEqual(filter);
    expect(await shown('iptables', 'mangle')).toEqual(mangle);
    expect((await look('IPv4', 'made')).outcome).toEqual({ type: 'untouched' });
    expect((await look('IPv4', 'new')).outcome).toEqual({ type: 'made' });
    expect(await shown('iptables', 'filter')).toEqual(filter);
    for (const table of ['mangle', 'nat', 'filter'])
      for (const operation of ['-F', '-X']) await inNamespace('iptables', ['-w', '5', operation, '-t', table]);
    expect(await shown('iptables', 'filter')).toEqual([]);
    expect((await look('IPv4', 'made')).outcome).toEqual({ type: 'made' });
    expect(await shown('iptables', 'filter')).toEqual(filter);
    expect(await shown('iptables', 'mangle')).toEqual(mangle);
  });

  it('IPv6 has the hint and no firewall', async () => {
    expect((await look('IPv6', 'new')).outcome).toEqual({ type: 'made' });
    expect(await shown('ip6tables', 'mangle')).toEqual(['-N KUBE-IPTABLES-HINT', '-N KUBE-KUBELET-CANARY']);
    expect(await shown('ip6tables', 'filter')).toEqual(['-N KUBE-KUBELET-CANARY']);
  });
});
