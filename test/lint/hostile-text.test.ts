import { describe, expect, it } from 'vitest';
import { oomKillOf } from '../../actors/oom-watcher/state.ts';
import { isBase64 } from '../../src/api/kubeconfig/kubeconfig-fields.ts';
import { isNameReserved } from '../../src/cri/fault.ts';
import { trustBundleKind } from '../../src/embedded/apiserver/kinds/trust-bundle-kind.ts';
import { parseLabelSelector } from '../../src/embedded/apiserver/store/label-selector.ts';
import { addressPattern } from '../../src/faults/address-pattern.ts';
import { trustAnchors } from '../../src/volumes/certificates/trust-anchors.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const refused = (read: () => unknown) => (): void => {
  expect(read).toThrow('unable to parse requirement');
};

/** Each of these texts took a regular expression seconds to hours. */
describe('a text made to be slow to read', () => {
  const many = 200_000;
  const begins = '-----BEGIN A-----'.repeat(many / 10);
  const certificate = '-----BEGIN CERTIFICATE-----a-----END CERTIFICATE-----';
  it.each<{ what: string; read: () => unknown }>([
    { what: 'a selector of commas and no parenthesis', read: () => parseLabelSelector(`a${',b'.repeat(many)}`) },
    {
      what: 'a selector of commas in a parenthesis',
      read: refused(() => parseLabelSelector(`a in (${','.repeat(many)}`)),
    },
    { what: 'a trust bundle of beginnings', read: () => trustAnchors([begins]) },
    { what: 'a trust bundle of beginnings with another end', read: () => trustAnchors([`${begins}-----END B-----`]) },
    {
      what: 'a trust bundle with space between many certificates',
      read: () =>
        trustBundleKind.rules?.validate?.(bundleOf(`${`${certificate}\n\n\n`.repeat(1_000)}${' '.repeat(many)}x`)),
    },
    {
      what: 'a line of the kernel log with many fields',
      read: () => oomKillOf(`;oom-kill:constraint=C,${',task_memcg=/,task=,pid=1'.repeat(many / 10)}`),
    },
    { what: 'base64 with many spaces in the middle', read: () => isBase64(`a${' '.repeat(many)}?`) },
    {
      what: 'a message with many names',
      read: () => isNameReserved({ code: 'UNKNOWN', detail: 'name '.repeat(many) }),
    },
    { what: 'a pattern of stars', read: () => addressPattern(`${'*a'.repeat(8)}b`)('a'.repeat(many)) },
  ])('is read at once: $what', ({ read }) => {
    expect(cpuMsOf(read)).toBeLessThan(1_500);
  });
});

const bundleOf = (trustBundle: string) =>
  ({ apiVersion: 'v1', kind: 'ClusterTrustBundle', metadata: { name: 'a' }, spec: { trustBundle } }) as never;
