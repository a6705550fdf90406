import { describe, expect, it } from 'vitest';
import type { EnvVar, PodSpec, ResourceRequirements } from '../../../src/kube/pod.ts';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { podDns } from '../../../src/pod/cri-config/dns.ts';
import { podHostname } from '../../../src/pod/cri-config/hostname.ts';
import { podField } from '../../../src/pod/cri-config/pod-field.ts';
import { resourceField } from '../../../src/pod/cri-config/resource-field.ts';
import { goldenNode } from './golden-case.ts';
import { envOf, messageOf, podWith } from './one-pod.ts';

// Rules of the translation from pods to CRI requests, one pod per rule, beyond the recorded pods.

describe('an environment variable', () => {
  const cases: readonly { readonly rule: string; readonly env: readonly EnvVar[]; readonly value: string }[] = [
    {
      rule: 'expands earlier variables',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', value: '$(A)2' },
      ],
      value: '12',
    },
    {
      rule: 'does not expand later variables',
      env: [
        { name: 'X', value: '$(B)' },
        { name: 'B', value: '1' },
      ],
      value: '$(B)',
    },
    {
      rule: 'is not expanded twice',
      env: [
        { name: 'A', value: '$$(B)' },
        { name: 'B', value: 'no' },
        { name: 'X', value: '$(A)' },
      ],
      value: '$(B)',
    },
    {
      rule: 'keeps an escaped reference',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', value: '$$(A)' },
      ],
      value: '$(A)',
    },
    {
      rule: 'expands behind an escaped dollar',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', value: '$$$(A)' },
      ],
      value: '$1',
    },
    { rule: 'halves a run of dollars', env: [{ name: 'X', value: '$$$$' }], value: '$$' },
    { rule: 'keeps a reference that has no end', env: [{ name: 'X', value: 'a$(b' }], value: 'a$(b' },
    { rule: 'keeps an empty name', env: [{ name: 'X', value: '$()' }], value: '$()' },
    { rule: 'keeps a last dollar', env: [{ name: 'X', value: 'a$' }], value: 'a$' },
    {
      rule: 'takes the first closing bracket',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', value: '$(A))' },
      ],
      value: '1)',
    },
    {
      rule: 'does not nest',
      env: [
        { name: 'A', value: 'B' },
        { name: 'B', value: '1' },
        { name: 'X', value: '$($(A))' },
      ],
      value: '$($(A))',
    },
    {
      rule: 'is the later of two, made from the earlier',
      env: [
        { name: 'X', value: '1' },
        { name: 'X', value: '$(X)2' },
      ],
      value: '12',
    },
    { rule: 'is empty without a value', env: [{ name: 'X' }], value: '' },
    { rule: 'keeps line ends and tabs', env: [{ name: 'X', value: 'a\n\tb' }], value: 'a\n\tb' },
    {
      rule: 'expands a reference to an empty value',
      env: [{ name: 'X', value: '', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      value: 'p',
    },
    {
      rule: 'does not expand an expanded value',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['ref']" } } },
      ],
      value: '$(A)',
    },
    {
      rule: 'reads spec.nodeName',
      env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.host' } } }],
      value: 'golden-node',
    },
    {
      rule: 'is empty for a missing label',
      env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: "metadata.labels['none']" } } }],
      value: '',
    },
  ];
  it.each(cases)('$rule', ({ env, value }) => {
    const pod = podWith({ nodeName: 'golden-node' }, { env }, { annotations: { ref: '$(A)' } });
    expect(envOf(pod)['X']).toBe(value);
  });

  const fileOf = (text: string, optional: boolean) => {
    const env = [{ name: 'X', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'a.env', key: 'K', optional } } }];
    const pod = podWith(
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { env, volumeMounts: [{ name: 'v', mountPath: '/v' }] },
    );
    const sources = {
      ...noConfigSources,
      services: () => ({ type: 'found', value: [] }) as const,
      volumeFile: () => ({ type: 'found', value: text }) as const,
    };
    return messageOf(pod, { sources });
  };
  it.each([
    { rule: 'with a value', text: "K='v'\n", optional: false, says: 'configured' },
    {
      rule: 'with an empty value, which counts as missing',
      text: "K=''\n",
      optional: false,
      says: 'environment variable key "K" not found in file "a.env"',
    },
    { rule: 'with an empty optional value', text: "K=''\n", optional: true, says: 'configured' },
    { rule: 'without quotes', text: 'K=v\n', optional: true, says: "couldn't parse env file" },
  ])('from a file $rule: $says', ({ text, optional, says }) => {
    expect(fileOf(text, optional)).toBe(says);
  });
});

describe('a field that shows a resource', () => {
  const shown = (
    resources: ResourceRequirements,
    ref: NonNullable<NonNullable<EnvVar['valueFrom']>['resourceFieldRef']>,
    spec: Partial<PodSpec> = {},
  ) => envOf(podWith(spec, { resources, env: [{ name: 'X', valueFrom: { resourceFieldRef: ref } }] }))['X'];
  it.each([
    {
      rule: 'rounds CPU up to whole numbers',
      resources: { limits: { cpu: '1100m' } },
      ref: { resource: 'limits.cpu' },
      value: '2',
    },
    {
      rule: 'counts in thousandths',
      resources: { requests: { cpu: '0.25' } },
      ref: { resource: 'requests.cpu', divisor: '1m' },
      value: '250',
    },
    {
      rule: 'rounds memory up',
      resources: { limits: { memory: '1Mi' } },
      ref: { resource: 'limits.memory', divisor: '1M' },
      value: '2',
    },
    {
      rule: 'accepts powers of ten',
      resources: { requests: { memory: '1e9' } },
      ref: { resource: 'requests.memory', divisor: '1k' },
      value: '1000000',
    },
    {
      rule: 'treats a limit of zero as no limit',
      resources: { limits: { cpu: '0' } },
      ref: { resource: 'limits.cpu' },
      value: '2',
    },
    { rule: 'has no bound for a request', resources: {}, ref: { resource: 'requests.memory' }, value: '0' },
    {
      rule: 'shows huge pages',
      resources: { limits: { 'hugepages-2Mi': '4Mi' } },
      ref: { resource: 'limits.hugepages-2Mi', divisor: '1Mi' },
      value: '4',
    },
    { rule: 'has no bound for huge pages', resources: {}, ref: { resource: 'limits.hugepages-2Mi' }, value: '0' },
    {
      rule: 'treats a divisor of zero as 1',
      resources: { limits: { memory: '3' } },
      ref: { resource: 'limits.memory', divisor: '0' },
      value: '3',
    },
    {
      rule: 'defaults to the limit of the pod',
      resources: {},
      ref: { resource: 'limits.cpu' },
      spec: { resources: { limits: { cpu: '1' } } },
      value: '1',
    },
    {
      rule: 'has no default for a named init container',
      resources: {},
      ref: { resource: 'limits.cpu', containerName: 'first' },
      spec: { initContainers: [{ name: 'first', image: 'i' }] },
      value: '0',
    },
  ])('$rule', ({ resources, ref, spec, value }) => {
    expect(shown(resources, ref, spec)).toBe(value);
  });

  it('of a named init container has its default in a file', () => {
    const first = { name: 'first', image: 'i' };
    const pod = podWith({ initContainers: [first] });
    const ref = { resource: 'limits.cpu', containerName: 'first' };
    const value = resourceField({ pod, container: first, node: goldenNode, inVolume: true }, ref);
    expect(value).toStrictEqual({ ok: true, value: '2' });
  });

  it('of an unknown container is an error', () => {
    const env = [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', containerName: 'none' } } }];
    expect(messageOf(podWith({}, { env }))).toBe('container none not found');
  });
});

describe('labels and annotations as text', () => {
  it.each([
    ['plain', 'a="plain"'],
    ['with "quotes" and \\', String.raw`a="with \"quotes\" and \\"`],
    ['line\nend\ttab', String.raw`a="line\nend\ttab"`],
    ['bell \u0007 and \u0000', String.raw`a="bell \a and \x00"`],
    ['größe 日本 ✓', 'a="größe 日本 ✓"'],
    ['zero\u200bwidth', String.raw`a="zero\u200bwidth"`],
  ])('%j is written %s', (value, text) => {
    const pod = podWith({}, {}, { annotations: { a: value } });
    expect(podField({ pod, podIps: [], hostIps: [] }, 'metadata.annotations')).toBe(text);
  });
});

describe('the resolver configuration', () => {
  const dnsOf = (spec: Partial<PodSpec>, node = goldenNode) => podDns(podWith(spec), node);
  const long = 'x'.repeat(254);

  it('leaves out domains that are too long, with a warning', () => {
    const { dns, warnings } = dnsOf({ dnsPolicy: 'None', dnsConfig: { searches: ['a.test', long, 'b.test'] } });
    expect(dns.searches).toStrictEqual(['a.test', 'b.test']);
    expect(warnings).toStrictEqual([
      {
        reason: 'DNSConfigForming',
        message:
          'Search Line limits were exceeded, some search paths have been omitted, the applied search line is: a.test b.test',
      },
    ]);
  });

  it('has 32 domains at most', () => {
    const searches = Array.from({ length: 40 }, (_, index) => `d${index}.test`);
    expect(dnsOf({ dnsPolicy: 'None', dnsConfig: { searches } }).dns.searches).toStrictEqual(searches.slice(0, 32));
  });

  it('has 2048 characters of domains at most', () => {
    const searches = Array.from({ length: 12 }, (_, index) => `${'y'.repeat(248)}${String(index).padStart(2, '0')}`);
    expect(dnsOf({ dnsPolicy: 'None', dnsConfig: { searches } }).dns.searches).toHaveLength(8);
  });

  it.each([
    { rule: 'an option replaces that of the same name', options: [{ name: 'ndots', value: '2' }], is: ['ndots:2'] },
    { rule: 'an option without value replaces as well', options: [{ name: 'ndots' }], is: ['ndots'] },
    {
      rule: 'the last of two counts',
      options: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
      is: ['ndots:5', 'a:2'],
    },
    { rule: 'an empty value is omitted', options: [{ name: 'edns0', value: '' }], is: ['ndots:5', 'edns0'] },
    { rule: 'a name is used unchanged', options: [{ name: 'ndots:1' }], is: ['ndots:5', 'ndots:1'] },
  ])('$rule', ({ options, is }) => {
    expect(dnsOf({ dnsPolicy: 'ClusterFirst', dnsConfig: { options } }).dns.options).toStrictEqual(is);
  });

  it.each(['ClusterFirst', 'ClusterFirstWithHostNet'] as const)(
    'is the host’s under %s where the cluster has no resolver, and the warning is the same',
    (dnsPolicy) => {
      const { dns, warnings } = dnsOf(
        { dnsPolicy, hostNetwork: dnsPolicy !== 'ClusterFirst' },
        { ...goldenNode, clusterDNS: [] },
      );
      expect(dns.servers).toStrictEqual(['192.0.2.53', '192.0.2.54']);
      expect(warnings).toStrictEqual([
        {
          reason: 'MissingClusterDNS',
          message:
            'pod: "p_n(u)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
        },
      ]);
    },
  );

  it('names the host itself when the node uses no resolver file', () => {
    const node = { ...goldenNode, resolvConf: undefined, nodeIps: ['10.0.0.1', 'fd00::1'] };
    const { dns } = dnsOf({ dnsPolicy: 'Default' }, node);
    expect(dns).toStrictEqual({ servers: ['127.0.0.1', '::1'], searches: ['.'], options: [] });
  });
});

describe('the hostname of a pod', () => {
  it.each([
    { rule: 'its hostname', spec: { hostname: 'web-1' }, hostname: 'web-1', domain: '' },
    {
      rule: 'its name without trailing punctuation',
      name: `${'a'.repeat(62)}.-b`,
      spec: {},
      hostname: 'a'.repeat(62),
      domain: '',
    },
    {
      rule: 'hostname and subdomain, by the short name',
      spec: { hostname: 'h', subdomain: 's' },
      hostname: 'h',
      domain: 's.n.svc.cluster.local',
    },
    {
      rule: 'the FQDN if requested',
      spec: { hostname: 'h', subdomain: 's', setHostnameAsFQDN: true },
      hostname: 'h.s.n.svc.cluster.local',
      domain: 's.n.svc.cluster.local',
    },
    {
      rule: 'the hostname override',
      spec: { hostname: 'h', subdomain: 's', hostnameOverride: 'mine.example' },
      hostname: 'mine.example',
      domain: '',
    },
  ])('$rule', ({ name = 'p', spec, hostname, domain }) => {
    const outcome = podHostname(podWith(spec, {}, { name }), 'cluster.local');
    expect(outcome).toMatchObject({ ok: true, name: { hostname, domain } });
  });

  it('is rejected above 64 characters with its domain', () => {
    const domain = '.s.n.svc.cluster.local';
    const asked = (length: number) =>
      podHostname(
        podWith({ hostname: 'h'.repeat(length - domain.length), subdomain: 's', setHostnameAsFQDN: true }),
        'cluster.local',
      );
    expect(asked(64).ok).toBe(true);
    expect(asked(65)).toMatchObject({
      message: expect.stringContaining('(64 characters is the max, 65 characters requested)'),
    });
  });
});
