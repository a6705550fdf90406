import { describe, expect, it } from 'vitest';
import {
  NamespaceMode,
  Protocol,
  SecurityProfile_ProfileType,
  SupplementalGroupsPolicy,
} from '../../src/cri/gen/api.ts';
import type { ContainerConfig, PodSandboxConfig } from '../../src/cri/gen/api.ts';
import type { Container, EnvVar, Pod, PodSpec, ResourceRequirements, SecurityContext } from '../../src/kube/pod.ts';
import { noConfigSources } from '../../src/pod/config-sources.ts';
import { containerConfig } from '../../src/pod/container-config.ts';
import type { ContainerConfigInput } from '../../src/pod/container-config.ts';
import { podDns } from '../../src/pod/dns.ts';
import { podHostname } from '../../src/pod/hostname.ts';
import { podField } from '../../src/pod/pod-field.ts';
import { sandboxConfig } from '../../src/pod/sandbox-config.ts';
import { goldenNode } from './golden-case.ts';

// Rules of the translation from pods to requests of the runtime, one pod a rule, beyond the pods that are recorded.

const podWith = (
  spec: Partial<PodSpec>,
  container: Partial<Container> = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], securityContext: {}, ...spec },
});

const outcomeOf = (pod: Pod, change: Partial<ContainerConfigInput> = {}) =>
  containerConfig({
    pod,
    container: pod.spec.containers[0] ?? { name: 'c' },
    restartCount: 0,
    imageRef: 'ref',
    imageUser: {},
    podIps: ['10.0.0.1'],
    node: goldenNode,
    sources: { ...noConfigSources, services: () => ({ type: 'found', value: [] }) },
    terminationFile: '0a1b2c3d',
    ...change,
  });

function configOf(pod: Pod, change: Partial<ContainerConfigInput> = {}): ContainerConfig {
  const outcome = outcomeOf(pod, change);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.config;
}

function messageOf(pod: Pod, change: Partial<ContainerConfigInput> = {}): string {
  const outcome = outcomeOf(pod, change);
  return outcome.ok ? 'configured' : outcome.message;
}

function sandboxOf(pod: Pod): PodSandboxConfig {
  const outcome = sandboxConfig({ pod, attempt: 0, node: goldenNode });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.config;
}

const decoder = new TextDecoder();
const envOf = (pod: Pod, change: Partial<ContainerConfigInput> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(configOf(pod, change).envs.map(({ key, value }) => [key, decoder.decode(value)]));

describe('an environment variable', () => {
  const cases: readonly { readonly rule: string; readonly env: readonly EnvVar[]; readonly value: string }[] = [
    {
      rule: 'sees what was defined before it',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', value: '$(A)2' },
      ],
      value: '12',
    },
    {
      rule: 'does not see what comes after it',
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
    { rule: 'has no value where nothing says one', env: [{ name: 'X' }], value: '' },
    { rule: 'keeps line ends and tabs', env: [{ name: 'X', value: 'a\n\tb' }], value: 'a\n\tb' },
    {
      rule: 'takes a reference where its value is empty',
      env: [{ name: 'X', value: '', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      value: 'p',
    },
    {
      rule: 'does not expand what a reference brings',
      env: [
        { name: 'A', value: '1' },
        { name: 'X', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['ref']" } } },
      ],
      value: '$(A)',
    },
    {
      rule: 'knows the first name of spec.nodeName',
      env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.host' } } }],
      value: 'golden-node',
    },
    {
      rule: 'is empty for a label that is not there',
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
      rule: 'with an empty value, which counts as none',
      text: "K=''\n",
      optional: false,
      says: 'environment variable key "K" not found in file "a.env"',
    },
    { rule: 'with an empty value where it is optional', text: "K=''\n", optional: true, says: 'configured' },
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
      rule: 'rounds CPU up to whole ones',
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
      rule: 'takes powers of ten',
      resources: { requests: { memory: '1e9' } },
      ref: { resource: 'requests.memory', divisor: '1k' },
      value: '1000000',
    },
    {
      rule: 'takes a limit of zero for none',
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
      rule: 'takes a divisor of zero for one',
      resources: { limits: { memory: '3' } },
      ref: { resource: 'limits.memory', divisor: '0' },
      value: '3',
    },
    {
      rule: 'is bound by the limit of the pod',
      resources: {},
      ref: { resource: 'limits.cpu' },
      spec: { resources: { limits: { cpu: '1' } } },
      value: '1',
    },
    {
      rule: 'has no bound for an init container that is named',
      resources: {},
      ref: { resource: 'limits.cpu', containerName: 'first' },
      spec: { initContainers: [{ name: 'first', image: 'i' }] },
      value: '0',
    },
  ])('$rule', ({ resources, ref, spec, value }) => {
    expect(shown(resources, ref, spec)).toBe(value);
  });

  it('of a container that is not there is an error', () => {
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
    expect(podField({ pod, podIps: [], node: goldenNode }, 'metadata.annotations')).toBe(text);
  });
});

describe('the resolver configuration', () => {
  const dnsOf = (spec: Partial<PodSpec>, node = goldenNode) => podDns(podWith(spec), node);
  const long = 'x'.repeat(254);

  it('leaves out domains longer than a name may be, and says so', () => {
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
    { rule: 'an empty value is none', options: [{ name: 'edns0', value: '' }], is: ['ndots:5', 'edns0'] },
    { rule: 'a name is taken as it stands', options: [{ name: 'ndots:1' }], is: ['ndots:5', 'ndots:1'] },
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

  it('names the host itself where the node uses no file', () => {
    const node = { ...goldenNode, resolvConf: undefined, hostIPs: ['10.0.0.1', 'fd00::1'] };
    const { dns } = dnsOf({ dnsPolicy: 'Default' }, node);
    expect(dns).toStrictEqual({ servers: ['127.0.0.1', '::1'], searches: ['.'], options: [] });
  });
});

describe('what a pod is called', () => {
  it.each([
    { rule: 'its hostname', spec: { hostname: 'web-1' }, hostname: 'web-1', domain: '' },
    {
      rule: 'its name without a tail that is no letter',
      name: `${'a'.repeat(62)}.-b`,
      spec: {},
      hostname: 'a'.repeat(62),
      domain: '',
    },
    {
      rule: 'hostname and subdomain, by the short one',
      spec: { hostname: 'h', subdomain: 's' },
      hostname: 'h',
      domain: 's.n.svc.cluster.local',
    },
    {
      rule: 'both where it asks for that',
      spec: { hostname: 'h', subdomain: 's', setHostnameAsFQDN: true },
      hostname: 'h.s.n.svc.cluster.local',
      domain: 's.n.svc.cluster.local',
    },
    {
      rule: 'what overrides all',
      spec: { hostname: 'h', subdomain: 's', hostnameOverride: 'mine.example' },
      hostname: 'mine.example',
      domain: '',
    },
  ])('$rule', ({ name = 'p', spec, hostname, domain }) => {
    const outcome = podHostname(podWith(spec, {}, { name }), 'cluster.local');
    expect(outcome).toMatchObject({ ok: true, name: { hostname, domain } });
  });

  it('is refused beyond 64 characters with its domain, of which 64 are still well', () => {
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

describe('a mount', () => {
  const mounting = (mount: Partial<NonNullable<Container['volumeMounts']>[number]>, more: Partial<Container> = {}) =>
    podWith(
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }], ...more },
    );

  it.each([
    {
      rule: 'all variables that are missing, by name',
      mount: { subPathExpr: '$(B)/$(A)/$(B)' },
      says: 'missing value for A, B',
    },
    { rule: 'an empty variable', mount: { subPathExpr: 'x/$(EMPTY)' }, says: 'missing value for EMPTY' },
    {
      rule: 'a way up',
      mount: { subPath: 'a/../../b' },
      says: "unable to provision SubPath `a/../../b`: must not contain '..'",
    },
    { rule: 'an absolute part', mount: { subPath: '/etc' }, says: 'error SubPath `/etc` must not be an absolute path' },
    {
      rule: 'an expression that becomes absolute',
      mount: { subPathExpr: '$(ROOT)' },
      says: 'error SubPath `/etc` must not be an absolute path',
    },
    { rule: 'nothing', mount: { subPathExpr: '$(OK)/$$(A)' }, says: 'configured' },
    {
      rule: 'writing into what is read-only throughout',
      mount: { recursiveReadOnly: 'IfPossible' },
      says: 'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not read-only',
    },
    {
      rule: 'propagation into it',
      mount: { readOnly: true, recursiveReadOnly: 'IfPossible', mountPropagation: 'HostToContainer' },
      says: 'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not compatible with propagation "HostToContainer"',
    },
    {
      rule: 'a volume that nobody knows',
      mount: { name: 'w' },
      says: 'cannot find volume "w" to mount into container "c"',
    },
  ] as const)('is refused for $rule: $says', ({ mount, says }) => {
    const env = [
      { name: 'EMPTY', value: '' },
      { name: 'ROOT', value: '/etc' },
      { name: 'OK', value: 'ok' },
    ];
    expect(messageOf(mounting(mount, { env }))).toBe(says);
  });

  it('has an absolute path, also for the last words', () => {
    const { mounts, annotations } = configOf(mounting({ mountPath: 'data' }, { terminationMessagePath: 'log/last' }));
    expect(mounts.map(({ containerPath }) => containerPath)).toStrictEqual(['/data', '/etc/hosts', '/log/last']);
    expect(annotations['io.kubernetes.container.terminationMessagePath']).toBe('log/last');
  });

  it('is given the label of its container where the host has SELinux, and is the node’s own', () => {
    const volumes = [
      { name: 'own', emptyDir: {} },
      { name: 'host', hostPath: { path: '/srv' } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const pod = podWith({ volumes }, { volumeMounts, terminationMessagePath: '/last' });
    const labelled = (seLinux: boolean) =>
      configOf(pod, { node: { ...goldenNode, seLinux } }).mounts.flatMap((mount) =>
        mount.selinuxRelabel ? [mount.containerPath] : [],
      );
    expect(labelled(true)).toStrictEqual(['/own', '/etc/hosts', '/last']);
    expect(labelled(false)).toStrictEqual([]);
  });

  it('is mapped to the ids of the pod’s own users, the files of the agent included', () => {
    const { mounts, linux } = configOf(mounting({}), { userIds: { firstHostId: 131_072, length: 65_536 } });
    const mapping = [{ hostId: 131_072, containerId: 0, length: 65_536 }];
    for (const { uidMappings, gidMappings } of mounts)
      expect({ uidMappings, gidMappings }).toStrictEqual({ uidMappings: mapping, gidMappings: mapping });
    expect(linux?.securityContext?.namespaceOptions?.usernsOptions).toStrictEqual({
      mode: NamespaceMode.POD,
      uids: mapping,
      gids: mapping,
    });
  });
});

describe('a block device', () => {
  const pod = podWith({}, { volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] });
  it.each([
    { readOnly: false, permissions: 'mrw' },
    { readOnly: true, permissions: 'r' },
  ])('is given with $permissions where it is read-only: $readOnly', ({ readOnly, permissions }) => {
    const blockVolumes = new Map([['disk', { devicePath: '/dev/loop7', readOnly }]]);
    expect(configOf(pod, { blockVolumes }).devices).toStrictEqual([
      { hostPath: '/dev/loop7', containerPath: '/dev/xvda', permissions },
    ]);
  });

  it('that is not there is never left out', () => {
    expect(messageOf(pod)).toBe('cannot find volume "disk" to pass into container "c"');
  });
});

describe('the security of a container', () => {
  const securityOf = (
    own: SecurityContext,
    ofPod: PodSpec['securityContext'] = {},
    annotations: Record<string, string> = {},
  ) => configOf(podWith({ securityContext: ofPod }, { securityContext: own }, { annotations })).linux?.securityContext;
  const refused = (own: SecurityContext, imageUser: ContainerConfigInput['imageUser'] = {}) =>
    messageOf(podWith({}, { securityContext: own }), { imageUser });
  const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/c';

  it.each([
    {
      rule: 'capabilities that name none are still said',
      own: { capabilities: {} },
      is: { capabilities: { addCapabilities: [], dropCapabilities: [] } },
    },
    {
      rule: 'capabilities are the container’s alone, as written',
      own: { capabilities: { add: ['ALL', 'net_admin'], drop: ['CAP_SYS_TIME'] } },
      is: { capabilities: { addCapabilities: ['ALL', 'net_admin'], dropCapabilities: ['CAP_SYS_TIME'] } },
    },
    {
      rule: 'SELinux of the container replaces the pod’s as a whole',
      own: { seLinuxOptions: { level: 's0' } },
      ofPod: { seLinuxOptions: { user: 'u', type: 't' } },
      is: { selinuxOptions: { user: '', role: '', type: '', level: 's0' } },
    },
    {
      rule: 'an unmasked proc hides nothing',
      own: { procMount: 'Unmasked' },
      is: { maskedPaths: [], readonlyPaths: [] },
    },
    {
      rule: 'escalation that is allowed is not forbidden',
      own: { allowPrivilegeEscalation: true },
      is: { noNewPrivs: false },
    },
    {
      rule: 'user zero is said',
      own: { runAsUser: 0, runAsGroup: 0 },
      ofPod: { runAsUser: 5 },
      is: { runAsUser: { value: 0n }, runAsGroup: { value: 0n } },
    },
    {
      rule: 'groups: that of files first',
      own: {},
      ofPod: { fsGroup: 9, supplementalGroups: [3, 1] },
      is: { supplementalGroups: [9n, 3n, 1n] },
    },
    {
      rule: 'strict groups',
      own: {},
      ofPod: { supplementalGroupsPolicy: 'Strict' },
      is: { supplementalGroupsPolicy: SupplementalGroupsPolicy.Strict },
    },
    {
      rule: 'a filter of the node',
      own: { seccompProfile: { type: 'Localhost', localhostProfile: 'a//b.json' } },
      is: {
        seccomp: { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: '{{ROOT}}/seccomp/a/b.json' },
      },
    },
    {
      rule: 'a filter of the container before the pod’s',
      own: { seccompProfile: { type: 'Unconfined' } },
      ofPod: { seccompProfile: { type: 'RuntimeDefault' } },
      is: { seccomp: { profileType: SecurityProfile_ProfileType.Unconfined, localhostRef: '' } },
    },
    {
      rule: 'AppArmor of the annotation before the pod’s',
      own: {},
      ofPod: { appArmorProfile: { type: 'Unconfined' } },
      annotations: { [APPARMOR]: 'localhost/mine' },
      is: {
        apparmorProfile: 'localhost/mine',
        apparmor: { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: 'mine' },
      },
    },
    {
      rule: 'AppArmor of the field before the annotation',
      own: { appArmorProfile: { type: 'RuntimeDefault' } },
      annotations: { [APPARMOR]: 'unconfined' },
      is: { apparmorProfile: 'runtime/default' },
    },
    {
      rule: 'an annotation that names no profile counts for nothing',
      own: {},
      annotations: { [APPARMOR]: 'whatever' },
      is: { apparmorProfile: '', apparmor: undefined },
    },
  ] as const)('$rule', ({ own, is, ...more }) => {
    const { ofPod, annotations } = more as { ofPod?: PodSpec['securityContext']; annotations?: Record<string, string> };
    expect(securityOf(own, ofPod, annotations)).toMatchObject(is);
  });

  it.each([
    {
      rule: 'a filter without a name',
      own: { seccompProfile: { type: 'Localhost' } },
      says: 'localhostProfile must be set if seccompProfile type is Localhost.',
    },
    {
      rule: 'a profile without a name',
      own: { appArmorProfile: { type: 'Localhost' } },
      says: 'missing localhost apparmor profile name',
    },
    {
      rule: 'user zero',
      own: { runAsNonRoot: true, runAsUser: 0 },
      says: `container's runAsUser breaks non-root policy (pod: "p_n(u)", container: c)`,
    },
    {
      rule: 'an image of root',
      own: { runAsNonRoot: true },
      imageUser: { uid: 0 },
      says: 'container has runAsNonRoot and image will run as root (pod: "p_n(u)", container: c)',
    },
    {
      rule: 'an image of somebody by name',
      own: { runAsNonRoot: true },
      imageUser: { username: 'app' },
      says: 'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: "p_n(u)", container: c)',
    },
    {
      rule: 'nothing, the image being of a number',
      own: { runAsNonRoot: true },
      imageUser: { uid: 7 },
      says: 'configured',
    },
  ] as const)('refuses $rule: $says', ({ own, says, ...more }) => {
    expect(refused(own, (more as { imageUser?: ContainerConfigInput['imageUser'] }).imageUser)).toBe(says);
  });

  it('tells the sandbox of kernel parameters in dotted form', () => {
    const sysctls = [
      { name: 'net/ipv4/conf/eth0.1/rp_filter', value: '1' },
      { name: 'kernel.shm_rmid_forced', value: '0' },
    ];
    expect(sandboxOf(podWith({ securityContext: { sysctls } })).linux?.sysctls).toStrictEqual({
      'net.ipv4.conf.eth0/1.rp_filter': '1',
      'kernel.shm_rmid_forced': '0',
    });
  });

  it.each(['initContainers', 'ephemeralContainers'] as const)('makes the sandbox privileged for one of %s', (list) => {
    const pod = podWith({ [list]: [{ name: 'x', image: 'i', securityContext: { privileged: true } }] });
    expect(sandboxOf(pod).linux?.securityContext?.privileged).toBe(true);
  });
});

describe('the amounts of a container', () => {
  const amountsOf = (resources: ResourceRequirements, spec: Partial<PodSpec> = {}) =>
    configOf(podWith(spec, { resources })).linux?.resources;
  it.each([
    {
      rule: 'a thousandth of a CPU',
      resources: { limits: { cpu: '1m' }, requests: { cpu: '1m' } },
      is: { cpuShares: 2n, cpuQuota: 1000n },
    },
    { rule: 'less than that, rounded up', resources: { requests: { cpu: '100u' } }, is: { cpuShares: 2n } },
    {
      rule: 'more CPUs than there is weight for',
      resources: { requests: { cpu: '1000' } },
      is: { cpuShares: 262_144n },
    },
    {
      rule: 'a request of nothing, which is not none',
      resources: { requests: { cpu: '0' }, limits: { cpu: '2' } },
      is: { cpuShares: 2n, cpuQuota: 200_000n },
    },
    { rule: 'a limit alone', resources: { limits: { cpu: '1.5' } }, is: { cpuShares: 1536n, cpuQuota: 150_000n } },
    { rule: 'an exponent', resources: { limits: { memory: '1e6' } }, is: { memoryLimitInBytes: 1_000_000n } },
    {
      rule: 'a part of a byte, rounded up',
      resources: { limits: { memory: '1500m' } },
      is: { memoryLimitInBytes: 2n },
    },
    { rule: 'binary and decimal units', resources: { limits: { memory: '0.5Ki' } }, is: { memoryLimitInBytes: 512n } },
    {
      rule: 'no memory at all',
      resources: { limits: { memory: '0' } },
      is: { memoryLimitInBytes: 0n, oomScoreAdj: 1000n },
    },
    {
      rule: 'limits of the pod where it has none',
      resources: {},
      spec: { resources: { limits: { cpu: '2', memory: '1Gi' } } },
      is: { cpuQuota: 200_000n, cpuShares: 2048n, memoryLimitInBytes: 1n << 30n },
    },
    {
      rule: 'huge pages of each size',
      resources: { limits: { 'hugepages-2Mi': '6Mi' } },
      is: {
        hugepageLimits: [
          { pageSize: '1GB', limit: 0n },
          { pageSize: '2MB', limit: 6n << 20n },
        ],
      },
    },
  ] as readonly { rule: string; resources: ResourceRequirements; spec?: Partial<PodSpec>; is: object }[])(
    '$rule',
    ({ resources, spec, is }) => {
      expect(amountsOf(resources, spec)).toMatchObject(is);
    },
  );
});

describe('ports', () => {
  it('are those of regular containers, the first of each name', () => {
    const ports = [
      { containerPort: 80, name: 'web' },
      { containerPort: 81, name: 'web' },
      { containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '127.0.0.1' },
      { containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '::1' },
      { containerPort: 9, protocol: 'SCTP' },
    ] as const;
    const pod = podWith(
      { initContainers: [{ name: 'side', image: 'i', restartPolicy: 'Always', ports: [{ containerPort: 7 }] }] },
      { ports },
    );
    expect(sandboxOf(pod).portMappings).toStrictEqual([
      { protocol: Protocol.TCP, containerPort: 80, hostPort: 0, hostIp: '' },
      { protocol: Protocol.UDP, containerPort: 53, hostPort: 5353, hostIp: '127.0.0.1' },
      { protocol: Protocol.UDP, containerPort: 53, hostPort: 5353, hostIp: '::1' },
      { protocol: Protocol.SCTP, containerPort: 9, hostPort: 0, hostIp: '' },
    ]);
  });
});

describe('what is written on a container', () => {
  it.each([
    { rule: 'a handler without members', preStop: {}, text: '{}' },
    {
      rule: 'a command',
      preStop: { exec: { command: ['a', '<&>'] } },
      text: String.raw`{"exec":{"command":["a","\u003c\u0026\u003e"]}}`,
    },
    { rule: 'a command without words', preStop: { exec: {} }, text: '{"exec":{}}' },
    {
      rule: 'a request',
      preStop: {
        httpGet: { scheme: 'HTTP', host: '', port: 'web', path: '/x', httpHeaders: [{ name: 'A', value: '' }] },
      },
      text: '{"httpGet":{"path":"/x","port":"web","scheme":"HTTP","httpHeaders":[{"name":"A","value":""}]}}',
    },
    { rule: 'a sleep', preStop: { sleep: { seconds: 0 } }, text: '{"sleep":{"seconds":0}}' },
  ])('before it stops: $rule', ({ preStop, text }) => {
    expect(
      configOf(podWith({}, { lifecycle: { preStop } })).annotations['io.kubernetes.container.preStopHandler'],
    ).toBe(text);
  });

  it('is its grace, that of zero too', () => {
    const pod = podWith({ terminationGracePeriodSeconds: 0 }, {}, { deletionGracePeriodSeconds: 0 });
    expect(configOf(pod).annotations).toMatchObject({
      'io.kubernetes.pod.terminationGracePeriod': '0',
      'io.kubernetes.pod.deletionGracePeriod': '0',
    });
  });
});
