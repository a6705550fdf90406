import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { podHostname } from '../../../src/pod/cri-config/hostname.ts';
import { hostNetworkHostsFile, podHostsFile } from '../../../src/pod/cri-config/hosts-file.ts';
import { caseNames, goldenNode, podIpsOf, readCase } from './golden-case.ts';
import type { GoldenCase } from './golden-case.ts';

function recordedHostsFile(name: string): string | undefined {
  const url = new URL(`../../golden/cri/${name}/expected.json`, import.meta.url);
  const { files = [] } = JSON.parse(readFileSync(url, 'utf8')) as {
    readonly files?: readonly { readonly path: string; readonly content?: string }[];
  };
  return files.find(({ path }) => path === 'etc-hosts')?.content;
}

function hostsFileOf({ pod }: GoldenCase): string {
  if (pod.spec.hostNetwork === true) return hostNetworkHostsFile('{{HOST_HOSTS_FILE}}', pod.spec.hostAliases);
  const hostname = podHostname(pod, goldenNode.clusterDomain);
  return hostname.ok ? podHostsFile(hostname.name, podIpsOf(pod), pod.spec.hostAliases) : '';
}

describe('the managed hosts file', () => {
  it.each(caseNames().filter((name) => recordedHostsFile(name) !== undefined))(
    '%s: equals the recorded one',
    (name) => {
      expect(hostsFileOf(readCase(name)).trimEnd()).toBe(recordedHostsFile(name)?.trimEnd());
    },
  );

  it('has a line for each address of the pod', () => {
    const text = podHostsFile({ short: 'h', domain: 'd.test', hostname: 'h' }, ['10.0.0.1', 'fd00::1'], undefined);
    expect(text.split('\n').slice(-3)).toEqual(['10.0.0.1\th.d.test\th', 'fd00::1\th.d.test\th', '']);
  });
});
