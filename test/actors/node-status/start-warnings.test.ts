import { describe, expect, it } from 'vitest';
import { startWarnings } from '../../../actors/node-status/start-warnings.ts';

const fine = { cgroupVersion: 2, resolvConf: 'search a b\n', swap: { capacityBytes: 0n } } as const;
const domains = (count: number, length = 3): string =>
  `search ${Array.from({ length: count }, (_, index) => String(index).padStart(length, 'd')).join(' ')}\n`;

interface Case {
  readonly rule: string;
  readonly facts: Partial<Parameters<typeof startWarnings>[0]>;
  readonly kernel?: string;
  readonly reasons: readonly string[];
}

describe('a node that starts', () => {
  it.each<Case>([
    { rule: 'has no warning for a current machine', facts: {}, reasons: [] },
    { rule: 'warns of version 1 of cgroups', facts: { cgroupVersion: 1 }, reasons: ['CgroupV1'] },
    {
      rule: 'warns of swap where tmpfs may go there',
      facts: { swap: { capacityBytes: 1n } },
      kernel: '6.3.9',
      reasons: ['PossibleMemoryBackedVolumesOnDisk'],
    },
    {
      rule: 'does not warn if the check is impossible',
      facts: { swap: { capacityBytes: 1n } },
      kernel: '6.4.0',
      reasons: [],
    },
    { rule: 'does not without swap', facts: {}, kernel: '5.10.0', reasons: [] },
    { rule: 'accepts 32 search domains', facts: { resolvConf: domains(32) }, reasons: [] },
    { rule: 'warns of more', facts: { resolvConf: domains(33) }, reasons: ['CheckLimitsForResolvConf'] },
    {
      rule: 'warns of long search lists',
      facts: { resolvConf: domains(20, 120) },
      reasons: ['CheckLimitsForResolvConf'],
    },
    { rule: 'accepts missing resolver settings', facts: { resolvConf: undefined }, reasons: [] },
  ])('$rule', ({ facts, kernel = '6.12.0', reasons }) => {
    const warnings = startWarnings({ ...fine, ...facts }, { kernel, resolvConfPath: '/etc/resolv.conf' });
    expect(warnings.map(({ reason }) => reason)).toEqual(reasons);
  });
});
