import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/kube/pod.ts';
import { type CaseObject, environmentOf, type ExpectedCri } from './cri-case.ts';
import { addressUnlike, playCriCase } from './play-cri-case.ts';
import { inRecordedForm } from './judge-cri-case.ts';

/** Pods without a recording. Their expected CRI requests are derived by hand from the kubelet's rules. */

const environment = environmentOf(import.meta.dirname);
const IMAGE = 'registry.example/ready/own:v1';

type Container = Partial<PodSpec['containers'][number]> & { readonly [member: string]: unknown };
type Spec = Partial<Omit<PodSpec, 'containers'>> & { readonly [member: string]: unknown };

interface Given {
  readonly c?: Container;
  readonly spec?: Spec;
  readonly metadata?: object;
  readonly more?: readonly CaseObject[];
  readonly expected?: ExpectedCri;
}

interface Form {
  readonly status: object;
  readonly sequence: readonly string[];
  readonly sandbox: object;
  readonly c: object;
  readonly containers: Readonly<Record<string, object>>;
  readonly events: readonly { readonly reason: string; readonly message: string }[];
  readonly files: readonly object[];
  readonly teardown: object;
}

async function played({ c = {}, spec = {}, metadata = {}, more = [], expected = {} }: Given): Promise<Form> {
  const pod: CaseObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'own', namespace: 'golden', ...metadata },
    spec: { nodeName: environment.nodeName, containers: [{ name: 'c', image: IMAGE, ...c }], ...spec },
  };
  const golden = {
    name: 'own',
    folder: '',
    environment,
    objects: [pod, ...more],
    stored: pod,
    manifest: { file: '', text: '' },
    expected,
  };
  const seen = await playCriCase(golden);
  expect(seen.problems).toEqual([]);
  const form = inRecordedForm(golden, seen) as unknown as Form & {
    readonly runPodSandbox: readonly { config: object }[];
    readonly createContainer: readonly { config: { metadata: { name: string } } }[];
  };
  const containers = Object.fromEntries(form.createContainer.map(({ config }) => [config.metadata.name, config]));
  return { ...form, sandbox: form.runPodSandbox[0] ?? {}, containers, c: containers['c'] ?? {} };
}

const env = (...variables: readonly object[]): Given => ({ c: { env: variables as never } });
const from = (key: string, value: object) => ({ name: key, valueFrom: value });
const configMap = (data: Record<string, string>): CaseObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'map', namespace: 'golden' },
  data,
});

const variablesOf = ({ c }: Form): Record<string, string> => {
  const { envs = [] } = c as { envs?: readonly { key: string; value?: string }[] };
  return Object.fromEntries(envs.map(({ key, value = '' }) => [key, value]));
};

describe('the environment of a container', () => {
  it.each<{ rule: string; given: Given; has: Record<string, string>; lacks?: string[] }>([
    {
      rule: 'a reference to a variable defined later is not expanded',
      given: env({ name: 'A', value: '<$(B)>' }, { name: 'B', value: 'b' }, { name: 'C', value: '<$(B)>' }),
      has: { A: '<$(B)>', B: 'b', C: '<b>' },
    },
    {
      rule: 'a variable without a value is empty, and so are references to it',
      given: env({ name: 'E' }, { name: 'F', value: 'x$(E)y' }),
      has: { E: '', F: 'xy' },
    },
    {
      rule: 'a missing optional key keeps the earlier value, and references to it are not expanded',
      given: {
        c: {
          env: [
            { name: 'A', value: 'first' },
            from('A', { configMapKeyRef: { name: 'map', key: 'gone', optional: true } }),
            from('B', { configMapKeyRef: { name: 'map', key: 'gone', optional: true } }),
            { name: 'C', value: '$(B)' },
          ] as never,
        },
        more: [configMap({ one: '1' })],
      },
      has: { A: 'first', C: '$(B)' },
      lacks: ['B'],
    },
    {
      rule: 'a prefix is put before each key, and env refers to the prefixed names',
      given: {
        c: {
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'map' } }] as never,
          env: [{ name: 'X', value: '$(P_one)-$(one)' }],
        },
        more: [configMap({ one: '1', two: '2' })],
      },
      has: { P_one: '1', P_two: '2', X: '1-$(one)' },
    },
    {
      rule: 'values of config maps are not expanded',
      given: {
        c: { env: [{ name: 'A', value: 'a' }, from('B', { configMapKeyRef: { name: 'map', key: 'k' } })] as never },
        more: [configMap({ k: '$(A)' })],
      },
      has: { B: '$(A)' },
    },
    {
      rule: 'labels and annotations are found by key, and missing keys are empty',
      given: {
        metadata: { labels: { a: '1' }, annotations: { 'x.test/y': 'l1\nl2\u0001' } },
        ...env(
          from('L', { fieldRef: { fieldPath: "metadata.labels['a']" } }),
          from('M', { fieldRef: { fieldPath: "metadata.labels['b']" } }),
          from('N', { fieldRef: { fieldPath: "metadata.annotations['x.test/y']" } }),
        ),
      },
      has: { L: '1', M: '', N: 'l1\nl2\u0001' },
    },
    {
      rule: 'resources are rounded up to the divisor, and a missing request is 0',
      given: {
        c: {
          resources: { requests: { cpu: '10m', memory: '1025Ki' }, limits: { cpu: '1500m', memory: '3Mi' } },
          env: [
            from('RC', { resourceFieldRef: { resource: 'requests.cpu' } }),
            from('RCM', { resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } }),
            from('LC', { resourceFieldRef: { resource: 'limits.cpu' } }),
            from('RM', { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } }),
            from('LM', { resourceFieldRef: { resource: 'limits.memory', divisor: '1M' } }),
            from('RS', { resourceFieldRef: { resource: 'requests.ephemeral-storage' } }),
          ] as never,
        },
      },
      has: { RC: '1', RCM: '10', LC: '2', RM: '2', LM: '4', RS: '0' },
    },
    {
      rule: 'without service links only the API server has variables',
      given: {
        spec: { enableServiceLinks: false },
        more: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'web', namespace: 'golden' },
            spec: { clusterIP: '10.96.0.77', ports: [{ port: 80 }] },
          },
        ],
      },
      has: { KUBERNETES_SERVICE_HOST: '10.96.0.1' },
      lacks: ['WEB_SERVICE_HOST'],
    },
  ])('$rule', async ({ given, has, lacks = [] }) => {
    const variables = variablesOf(await played(given));
    expect(variables).toMatchObject(has);
    for (const name of lacks) expect(variables).not.toHaveProperty(name);
  });

  it('reaches command and arguments, with the services', async () => {
    const { c } = await played({
      c: { env: [{ name: 'A', value: 'a' }], command: ['$(A)', '$$(A)'], args: ['$(KUBERNETES_SERVICE_PORT)$(NO)'] },
    });
    expect(c).toMatchObject({ command: ['a', '$(A)'], args: ['443$(NO)'] });
  });
});

describe('the DNS config and the hostname of a pod', () => {
  const options = [{ name: 'ndots', value: '1' }, { name: 'edns0' }];
  const cluster = [
    'golden.svc.cluster.local',
    'svc.cluster.local',
    'cluster.local',
    'example.test',
    'corp.example.test',
  ];
  it.each<{ rule: string; spec: Spec; dns: object }>([
    {
      rule: 'on the host network ClusterFirst means the host’s resolver',
      spec: { hostNetwork: true },
      dns: {
        servers: ['192.0.2.53', '192.0.2.54'],
        searches: ['example.test', 'corp.example.test'],
        options: ['ndots:2', 'timeout:3'],
      },
    },
    {
      rule: 'options of the pod override those of the cluster',
      spec: { dnsConfig: { options } },
      dns: { servers: ['10.96.0.10'], searches: cluster, options: ['edns0', 'ndots:1'] },
    },
    {
      rule: 'a repeated entry appears once',
      spec: { dnsConfig: { nameservers: ['10.96.0.10', '192.0.2.9'], searches: ['cluster.local', 'my.test'] } },
      dns: { servers: ['10.96.0.10', '192.0.2.9'], searches: [...cluster, 'my.test'], options: ['ndots:5'] },
    },
    {
      rule: 'with policy None only the pod’s own config applies',
      spec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.9'] } },
      dns: { servers: ['192.0.2.9'] },
    },
  ])('$rule', async ({ spec, dns }) => {
    const { sandbox } = await played({ spec });
    expect((sandbox as { config: { dns_config: object } }).config.dns_config).toEqual(dns);
  });

  it.each<{ spec: Spec; hostname: string | undefined }>([
    { spec: { hostname: 'h' }, hostname: 'h' },
    { spec: { hostname: 'h', subdomain: 's' }, hostname: 'h' },
    { spec: { hostname: 'h', subdomain: 's', setHostnameAsFQDN: true }, hostname: 'h.s.golden.svc.cluster.local' },
    { spec: { subdomain: 's', setHostnameAsFQDN: true }, hostname: 'own.s.golden.svc.cluster.local' },
    { spec: { hostname: 'h', hostNetwork: true }, hostname: undefined },
  ])('$spec: $hostname', async ({ spec, hostname }) => {
    const { sandbox } = await played({ spec });
    expect((sandbox as { config: { hostname?: string } }).config.hostname).toBe(hostname);
  });
});

describe('the security context of a container', () => {
  const root = 'localhost/a.json';
  it.each<{ rule: string; given: Given; has: object; lacks?: string[] }>([
    {
      rule: 'user and group each come from the container, or else from the pod',
      given: {
        spec: { securityContext: { runAsUser: 1000, runAsGroup: 2000 } },
        c: { securityContext: { runAsUser: 0 } },
      },
      has: { run_as_user: { value: 0 }, run_as_group: { value: 2000 } },
    },
    {
      rule: 'a container may be root in a pod that requires non-root',
      given: { spec: { securityContext: { runAsNonRoot: true } }, c: { securityContext: { runAsNonRoot: false } } },
      has: { run_as_user: { value: 0 } },
    },
    {
      rule: 'the SELinux options of a container replace those of the pod',
      given: {
        spec: { securityContext: { seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 's0' } } },
        c: { securityContext: { seLinuxOptions: { type: 'mine' } } },
      },
      has: { selinux_options: { type: 'mine' } },
    },
    {
      rule: 'the seccomp profile of a container replaces that of the pod',
      given: {
        spec: { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: root } } },
        c: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      },
      has: { seccomp: {} },
    },
    {
      rule: 'a container without a seccomp profile has the profile of the pod',
      given: { spec: { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: root } } } },
      has: { seccomp: { profile_type: 'Localhost', localhost_ref: '{{ROOT}}/seccomp/localhost/a.json' } },
    },
    {
      rule: 'groups of volumes come first, then the supplemental groups',
      given: {
        spec: {
          securityContext: { fsGroup: 7, supplementalGroups: [9, 8], supplementalGroupsPolicy: 'Strict' },
        },
      },
      has: { supplemental_groups: [7, 9, 8], supplemental_groups_policy: 'Strict' },
    },
    {
      rule: 'capabilities are passed on as written',
      given: { c: { securityContext: { capabilities: { add: ['NET_ADMIN', 'CAP_SYS_TIME'], drop: ['ALL'] } } } },
      has: { capabilities: { add_capabilities: ['NET_ADMIN', 'CAP_SYS_TIME'], drop_capabilities: ['ALL'] } },
    },
    {
      rule: 'an unmasked /proc needs a user namespace',
      given: { spec: { hostUsers: false }, c: { securityContext: { procMount: 'Unmasked' } } },
      has: { namespace_options: { pid: 'CONTAINER' } },
      lacks: ['masked_paths', 'readonly_paths'],
    },
    {
      rule: 'only the requested namespaces are those of the host',
      given: { spec: { hostIPC: true } },
      has: { namespace_options: { ipc: 'NODE', pid: 'CONTAINER' } },
    },
  ])('$rule', async ({ given, has, lacks = [] }) => {
    const { c } = await played(given);
    const { security_context: context } = (c as { linux: { security_context: object } }).linux;
    expect(context).toMatchObject(has);
    for (const name of lacks) expect(context).not.toHaveProperty(name);
  });

  it.each([
    {
      given: { c: { image: 'registry.example/ready/own-username:v1', securityContext: { runAsNonRoot: true } } },
      why: 'container has runAsNonRoot and image has non-numeric user (appuser), cannot verify user is non-root',
    },
    {
      given: { c: { securityContext: { runAsNonRoot: true, runAsUser: 0 } } },
      why: "container's runAsUser breaks non-root policy",
    },
    {
      given: { c: { securityContext: { runAsNonRoot: true } } },
      why: 'container has runAsNonRoot and image will run as root',
    },
  ])('is rejected: $why', async ({ given, why }) => {
    const { status, sequence } = await played(given);
    expect(status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [
        { reason: 'CreateContainerConfigError', message: `${why} (pod: "own_golden({{UID}})", container: c)` },
      ],
    });
    expect(sequence.at(-1)).toMatch(/^ImageStatus /);
  });

  it('a privileged init container makes the sandbox privileged', async () => {
    const initContainers = [
      { name: 'i', image: 'registry.example/ready/own-exit0:v1', securityContext: { privileged: true } },
    ];
    const { sandbox, c } = await played({ spec: { initContainers } });
    expect(sandbox).toMatchObject({ config: { linux: { security_context: { privileged: true } } } });
    expect(c).not.toMatchObject({ linux: { security_context: { privileged: true } } });
  });
});

describe('a user namespace', () => {
  const mapping = [{ host_id: '{{USERNS_HOST_ID}}', length: 65_536 }];
  it('is set on the sandbox, on each container and on each mount', async () => {
    const { sandbox, c } = await played({ spec: { hostUsers: false } });
    const options = { pid: 'CONTAINER', userns_options: { uids: mapping, gids: mapping } };
    expect(sandbox).toMatchObject({ config: { linux: { security_context: { namespace_options: options } } } });
    expect(c).toMatchObject({ linux: { security_context: { namespace_options: options } } });
    const { mounts } = c as { mounts: readonly object[] };
    expect(mounts).toHaveLength(2);
    for (const mount of mounts) expect(mount).toMatchObject({ uidMappings: mapping, gidMappings: mapping });
  });

  it('is rejected for a runtime handler without support', async () => {
    const more = [
      { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'plain' }, handler: 'basic' },
    ];
    const { sequence, events, status } = await played({ spec: { hostUsers: false, runtimeClassName: 'plain' }, more });
    expect(sequence).toEqual([]);
    expect(status).toMatchObject({ phase: 'Pending' });
    expect(events.map(({ message }) => message)).toContain(
      'Failed to create pod sandbox: RuntimeClass handler "basic" does not support user namespaces',
    );
  });
});

describe('resources', () => {
  it.each<{ rule: string; given: Given; has: object; parent: string }>([
    {
      rule: 'a limit is also the default request',
      given: { c: { resources: { limits: { cpu: '250m', memory: '64Mi' } } } },
      has: { cpu_shares: 256, cpu_quota: 25_000, memory_limit_in_bytes: 67_108_864, oom_score_adj: -997 },
      parent: '/kubepods/pod{{UID}}',
    },
    {
      rule: 'a request of 0 gives the smallest weight',
      given: { c: { resources: { requests: { cpu: '0' }, limits: { cpu: '100m' } } } },
      has: { cpu_shares: 2, cpu_quota: 10_000, oom_score_adj: 999 },
      parent: '/kubepods/burstable/pod{{UID}}',
    },
    {
      rule: 'whole processors',
      given: { c: { resources: { requests: { cpu: '1' }, limits: { cpu: '1.5' } } } },
      has: { cpu_shares: 1_024, cpu_quota: 150_000 },
      parent: '/kubepods/burstable/pod{{UID}}',
    },
    {
      // 1000 − ⌊1000 · 1 GiB / 25,276,514,304⌋
      rule: 'a larger memory request gives a lower oom_score_adj',
      given: { c: { resources: { limits: { memory: '1Gi' } } } },
      has: { memory_limit_in_bytes: 1_073_741_824, memory_swap_limit_in_bytes: 1_073_741_824, oom_score_adj: 958 },
      parent: '/kubepods/burstable/pod{{UID}}',
    },
    {
      rule: 'the limits of the pod apply to a container without limits',
      given: {
        spec: { resources: { limits: { cpu: '300m', memory: '96Mi' }, requests: { cpu: '100m', memory: '32Mi' } } },
      },
      has: { cpu_quota: 30_000, memory_limit_in_bytes: 100_663_296 },
      parent: '/kubepods/burstable/pod{{UID}}',
    },
    {
      rule: 'ephemeral storage is not passed to the runtime',
      given: { c: { resources: { limits: { 'ephemeral-storage': '1Gi' } } } },
      has: { cpu_shares: 2, oom_score_adj: 1_000 },
      parent: '/kubepods/besteffort/pod{{UID}}',
    },
  ])('$rule', async ({ given, has, parent }) => {
    const { c, sandbox } = await played(given);
    expect((c as { linux: { resources: object } }).linux.resources).toMatchObject(has);
    expect(sandbox).toMatchObject({ config: { linux: { cgroup_parent: parent } } });
  });

  it('a sidecar’s oom_score_adj is at most that of the containers', async () => {
    const initContainers = [{ name: 's', image: IMAGE, restartPolicy: 'Always' as const }];
    const { containers } = await played({
      spec: { initContainers },
      c: { resources: { requests: { memory: '1Gi' } } },
    });
    expect(containers['s']).toMatchObject({ linux: { resources: { oom_score_adj: 958 } } });
    expect(containers['c']).toMatchObject({ linux: { resources: { oom_score_adj: 958 } } });
  });
});

describe('mounts', () => {
  const volumes = [{ name: 'e', emptyDir: {} }] as never;
  const mountsOf = ({ c }: Form): readonly object[] => (c as { mounts: readonly object[] }).mounts;
  const plain: CaseObject = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'plain' },
    handler: 'basic',
  };

  it.each<{ mode: string; runtimeClassName?: string; recursive: boolean | undefined }>([
    { mode: 'IfPossible', recursive: true },
    { mode: 'Enabled', recursive: true },
    { mode: 'Disabled', recursive: undefined },
    { mode: 'IfPossible', runtimeClassName: 'plain', recursive: undefined },
  ])('recursive read-only $mode on $runtimeClassName: $recursive', async ({ mode, runtimeClassName, recursive }) => {
    const mount = { name: 'e', mountPath: '/e', readOnly: true, recursiveReadOnly: mode };
    const form = await played({
      c: { volumeMounts: [mount] as never },
      spec: { volumes, ...(runtimeClassName !== undefined && { runtimeClassName }) },
      more: [plain],
    });
    const [made] = mountsOf(form) as readonly { readonly?: boolean; recursive_read_only?: boolean }[];
    expect(made?.readonly).toBe(true);
    expect(made?.recursive_read_only).toBe(recursive);
  });

  it('a mount of the pod at /etc/hosts replaces the managed hosts file', async () => {
    const form = await played({ c: { volumeMounts: [{ name: 'e', mountPath: '/etc/hosts' }] }, spec: { volumes } });
    expect(mountsOf(form)).toHaveLength(2);
    expect(mountsOf(form)[0]).toMatchObject({
      container_path: '/etc/hosts',
      host_path: expect.stringContaining('empty-dir/e') as string,
    });
  });

  it('the runtime resolves the subPath of an image volume', async () => {
    const image = { reference: 'registry.example/ready/art:v2' };
    const form = await played({
      c: { volumeMounts: [{ name: 'i', mountPath: '/i', subPath: 'a/b' }] },
      spec: { volumes: [{ name: 'i', image }] as never },
    });
    expect(mountsOf(form)[0]).toMatchObject({
      container_path: '/i',
      readonly: true,
      image_sub_path: 'a/b',
      image: { user_specified_image: image.reference },
    });
  });

  it('a container without a termination message path has no file for it', async () => {
    const form = await played({
      c: { terminationMessagePath: '/last', terminationMessagePolicy: 'FallbackToLogsOnError' },
    });
    expect(mountsOf(form)[1]).toMatchObject({ container_path: '/last' });
    expect(form.c).toMatchObject({
      annotations: {
        'io.kubernetes.container.terminationMessagePath': '/last',
        'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError',
      },
    });
  });
});

describe('debug containers', () => {
  const debug = (parts: object): CaseObject => ({
    kind: 'EphemeralContainers',
    metadata: { name: 'own' },
    ephemeralContainers: [{ name: 'd', image: IMAGE, ...parts }],
  });
  it('join the process namespace of their target', async () => {
    const { containers } = await played({ more: [debug({ targetContainerName: 'c' })] });
    expect(containers['d']).toMatchObject({
      linux: { security_context: { namespace_options: { pid: 'TARGET', target_id: '{{CID:c}}' } } },
    });
  });

  it('name an ended target too: the runtime decides if it can be joined', async () => {
    const containers = [
      { name: 'c', image: IMAGE },
      { name: 'ended', image: 'registry.example/ready/own-exit0:v1' },
    ];
    const seen = await played({
      spec: { restartPolicy: 'Never', containers },
      more: [debug({ targetContainerName: 'ended' })],
    });
    expect(seen.containers['d']).toMatchObject({
      linux: { security_context: { namespace_options: { pid: 'TARGET', target_id: '{{CID:ended}}' } } },
    });
  });

  it('need no target in a pod with a shared process namespace', async () => {
    const { containers } = await played({
      spec: { shareProcessNamespace: true },
      more: [debug({ targetContainerName: 'c' })],
    });
    const options = (containers['d'] as { linux: { security_context: { namespace_options: object } } }).linux
      .security_context.namespace_options;
    expect(options).not.toHaveProperty('target_id');
    expect(options).not.toHaveProperty('pid');
  });
});

describe('images', () => {
  it.each([
    { written: 'reg.example:5000/ready/a', asked: 'reg.example:5000/ready/a:latest' },
    {
      written: 'reg.example/ready/a:v1@sha256:' + 'a'.repeat(64),
      asked: 'reg.example/ready/a:v1@sha256:' + 'a'.repeat(64),
    },
  ])('$written is requested as $asked', async ({ written, asked }) => {
    const { sequence } = await played({ c: { image: written, imagePullPolicy: 'IfNotPresent' } });
    expect(sequence[1]).toBe(`ImageStatus ${asked}`);
    expect(sequence.at(-1)).toBe('StartContainer c');
  });

  it('an unreachable registry is reported with its own reason', async () => {
    const image = 'registry.example/offline/own:v1';
    const { status } = await played({ c: { image } });
    const why = `image pull failed for ${image} because the registry is unavailable: connection refused`;
    expect(status).toMatchObject({
      containerStatuses: [
        { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": RegistryUnavailable: ${why}` },
      ],
    });
  });
});

describe('the phase of an ended pod', () => {
  it.each<{ policy: 'Never' | 'OnFailure' | 'Always'; code: number; attempts: number; phase: string }>([
    { policy: 'Never', code: 0, attempts: 1, phase: 'Succeeded' },
    { policy: 'Never', code: 7, attempts: 1, phase: 'Failed' },
    { policy: 'OnFailure', code: 0, attempts: 1, phase: 'Succeeded' },
    { policy: 'OnFailure', code: 7, attempts: 2, phase: 'Running' },
    { policy: 'Always', code: 0, attempts: 2, phase: 'Running' },
  ])('$policy and exit code $code: $phase', async ({ policy, code, phase }) => {
    const { status } = await played({
      c: { image: `registry.example/ready/own-exit${code}:v1` },
      spec: { restartPolicy: policy },
    });
    expect(status).toMatchObject({ phase });
  });

  it('a failed start is reported with the message of the runtime', async () => {
    const { events, sequence } = await played({ c: { image: 'registry.example/ready/own-nostart:v1' } });
    expect(sequence.at(-1)).toBe('StartContainer c -> error');
    expect(events.map(({ message }) => message)).toContain('Error: cannot start container c');
  });
});

describe('the stand-in runtime of the recorded requests', () => {
  it.each([
    { rule: 'pulls an image that is not marked as ready', image: 'registry.example/plain/own:v1', pulls: true },
    { rule: 'has an image that is marked as ready', image: 'registry.example/ready/own:v1', pulls: false },
    { rule: 'knows an image without a tag as the latest', image: 'registry.example/pulled/own', pulls: true },
  ])('$rule', async ({ image, pulls }) => {
    const { sequence } = await played({ c: { image, imagePullPolicy: 'IfNotPresent' } });
    expect(sequence.some((step) => step.startsWith('PullImage '))).toBe(pulls);
    expect(sequence).toContain('StartContainer c');
  });

  it('leaves a container created when it cannot be started: its status tells why', async () => {
    const { status, sequence } = await played({ c: { image: 'registry.example/ready/own-nostart:v1' } });
    expect(sequence).toContain('StartContainer c -> error');
    expect(status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ name: 'c', state: 'waiting', reason: 'RunContainerError' }],
    });
  });
});

describe('a case of requests', () => {
  it('whose pod names no namespace lives in the default one', async () => {
    const { sandbox } = await played({ metadata: { namespace: undefined } });
    expect(sandbox).toMatchObject({ config: { metadata: { namespace: 'default' } } });
  });

  it('may name any address: the pod has the address of the recordings', async () => {
    const hostAliases = [{ ip: '10.88.0.2', hostnames: ['other.test'] }];
    const { c, files } = await played({
      ...env(from('IP', { fieldRef: { fieldPath: 'status.podIP' } })),
      spec: { hostAliases },
      expected: { files: [{ path: 'etc-hosts' }] as never },
    });
    expect(variablesOf({ c } as Form)['IP']).toBe(environment.podIP);
    const [hosts] = files as readonly { content: string }[];
    expect(hosts?.content).toContain('10.88.0.2\tother.test');
    expect(hosts?.content).toContain(`${environment.podIP}\town`);
  });

  it('names what stops in a recorded order by its container first', async () => {
    const { teardown } = await played({ expected: { teardown: { order: [] } } });
    expect(teardown).toEqual({ order: ['c StopContainer timeout 30', 'pod StopPodSandbox'] });
  });

  it.each([
    { texts: '', address: '192.0.2.1' },
    { texts: 'ip: 192.0.2.1, ip: 192.0.2.2', address: '192.0.2.3' },
  ])('has an address for the node that it names nowhere: $address', ({ texts, address }) => {
    const manifest = { file: '', text: texts };
    const bare = { name: '', folder: '', objects: [], stored: undefined, expected: {}, manifest };
    expect(addressUnlike({ ...bare, environment: { ...environment, resolvConf: '' } })).toBe(address);
  });
});
