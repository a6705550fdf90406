import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../src/kube/pod.ts';
import { parseResolvConf, podDns } from '../../../src/pod/cri-config/dns.ts';
import { podHostname } from '../../../src/pod/cri-config/hostname.ts';

const node = {
  clusterDNS: ['10.0.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: 'nameserver 1.1.1.1\n',
  nodeIps: [],
};
const podWith = (spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: { containers: [], ...spec },
});

describe('the resolver of a pod', () => {
  it("is the host's, with a warning, if the cluster has no DNS", () => {
    const { dns, warnings } = podDns(podWith({ dnsPolicy: 'ClusterFirst' }), { ...node, clusterDNS: [] });
    expect(dns.servers).toEqual(['1.1.1.1']);
    expect(warnings).toEqual([
      {
        reason: 'MissingClusterDNS',
        message:
          'pod: "p_n(u)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
      },
    ]);
  });

  it.each([
    { nodeIps: [], servers: ['127.0.0.1'] },
    { nodeIps: ['192.0.2.1'], servers: ['127.0.0.1'] },
    { nodeIps: ['::'], servers: ['::1'] },
    { nodeIps: ['fd00::1'], servers: ['::1'] },
    { nodeIps: ['192.0.2.1', 'fd00::1'], servers: ['127.0.0.1', '::1'] },
  ])('is the loopback of $nodeIps where the host is to have no file', ({ nodeIps, servers }) => {
    const { dns } = podDns(podWith({ dnsPolicy: 'Default' }), { ...node, nodeIps, resolvConf: undefined });
    expect(dns).toEqual({ servers, searches: ['.'], options: [] });
  });

  it('searches at most 32 domains of 2048 characters, and warns of the rest', () => {
    const searchesOf = (searches: readonly string[]) =>
      podDns(podWith({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches } }), node);
    const many = searchesOf(Array.from({ length: 40 }, (_, at) => `d${at}.test`));
    expect(many.dns.searches).toHaveLength(32);
    expect(many.warnings[0]?.message).toMatch(
      /^Search Line limits were exceeded, some search paths have been omitted, the applied search line is: d0\.test /,
    );
    const long = searchesOf(Array.from({ length: 20 }, (_, at) => `${at}${'a'.repeat(200)}`));
    expect(long.dns.searches.join(' ').length).toBeLessThanOrEqual(2048);
    expect(long.dns.searches).toHaveLength(10);
  });
});

describe('a resolver file', () => {
  it.each(['search .', 'search . .', 'search .\nsearch .'])('with %j searches nothing', (text) => {
    expect(parseResolvConf(text).searches).toEqual([]);
  });

  it('is read line by line: the last search counts, options add up, comments are skipped', () => {
    const text =
      '# by hand\nnameserver 1.1.1.1 # first\nnameserver\nsearch old.test\n  search a.test. b.test a.test .\noptions ndots:1 rotate\n; more\noptions ndots:2\n';
    expect(parseResolvConf(text)).toEqual({
      servers: ['1.1.1.1'],
      searches: ['a.test', 'b.test'],
      options: ['ndots:2', 'rotate'],
    });
  });
});

describe('the name of a pod on its network', () => {
  it.each([
    { rule: 'its own', spec: {}, name: { short: 'p', domain: '', hostname: 'p' } },
    {
      rule: 'with a domain only in the hosts file',
      spec: { subdomain: 's' },
      name: { short: 'p', domain: 's.n.svc.cluster.local', hostname: 'p' },
    },
    {
      rule: 'overridden, without a domain',
      spec: { subdomain: 's', hostnameOverride: 'any.name.test' },
      name: { short: 'any.name.test', domain: '', hostname: 'any.name.test' },
    },
  ])('is $rule', ({ spec, name }) => {
    expect(podHostname(podWith(spec), 'cluster.local')).toEqual({ ok: true, name });
  });
});
