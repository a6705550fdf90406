import { describe, expect, it } from 'vitest';
import {
  NamespaceMode,
  Protocol,
  SecurityProfile_ProfileType,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/api.ts';
import type { Container, PodSpec, ResourceRequirements, SecurityContext } from '../../../src/kube/pod.ts';
import type { ContainerConfigInput } from '../../../src/pod/cri-config/container-config.ts';
import { goldenNode } from './golden-case.ts';
import { configOf, messageOf, podWith, sandboxOf } from './one-pod.ts';

// Rules of mounts, devices, security and amounts, one pod per rule, beyond the recorded pods.

describe('a mount', () => {
  const mounting = (mount: Partial<NonNullable<Container['volumeMounts']>[number]>, more: Partial<Container> = {}) =>
    podWith(
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }], ...more },
    );

  it.each([
    {
      rule: 'all missing variables, by name',
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
      rule: 'writing into a recursively read-only mount',
      mount: { recursiveReadOnly: 'IfPossible' },
      says: 'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not read-only',
    },
    {
      rule: 'propagation into a recursively read-only mount',
      mount: { readOnly: true, recursiveReadOnly: 'IfPossible', mountPropagation: 'HostToContainer' },
      says: 'failed to resolve recursive read-only mode: volume "v" requested recursive read-only mode, but it is not compatible with propagation "HostToContainer"',
    },
    {
      rule: 'an unknown volume',
      mount: { name: 'w' },
      says: 'cannot find volume "w" to mount into container "c"',
    },
  ] as const)('is rejected for $rule: $says', ({ mount, says }) => {
    const env = [
      { name: 'EMPTY', value: '' },
      { name: 'ROOT', value: '/etc' },
      { name: 'OK', value: 'ok' },
    ];
    expect(messageOf(mounting(mount, { env }))).toBe(says);
  });

  it('has an absolute path, also for the termination message', () => {
    const { mounts, annotations } = configOf(mounting({ mountPath: 'data' }, { terminationMessagePath: 'log/last' }));
    expect(mounts.map(({ containerPath }) => containerPath)).toStrictEqual(['/data', '/etc/hosts', '/log/last']);
    expect(annotations['io.kubernetes.container.terminationMessagePath']).toBe('log/last');
  });

  it("gets the container's SELinux label, except for the node's own files", () => {
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
  ])('has $permissions if read-only is $readOnly', ({ readOnly, permissions }) => {
    const blockVolumes = new Map([['disk', { devicePath: '/dev/loop7', readOnly }]]);
    expect(configOf(pod, { blockVolumes }).devices).toStrictEqual([
      { hostPath: '/dev/loop7', containerPath: '/dev/xvda', permissions },
    ]);
  });

  it('that is missing causes an error', () => {
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
      rule: 'empty capabilities are still sent',
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
      rule: 'allowed escalation sets no no_new_privs',
      own: { allowPrivilegeEscalation: true },
      is: { noNewPrivs: false },
    },
    {
      rule: 'user 0 is sent',
      own: { runAsUser: 0, runAsGroup: 0 },
      ofPod: { runAsUser: 5 },
      is: { runAsUser: { value: 0n }, runAsGroup: { value: 0n } },
    },
    {
      rule: 'groups: the fsGroup first',
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
      rule: 'the seccomp default of the node',
      own: { seccompProfile: { type: 'Localhost', localhostProfile: 'a//b.json' } },
      is: {
        seccomp: { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: '{{ROOT}}/seccomp/a/b.json' },
      },
    },
    {
      rule: "the container's seccomp profile before the pod’s",
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
      rule: 'an annotation without a profile has no effect',
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
      rule: 'a seccomp profile without a name',
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
      rule: 'an image with a user name',
      own: { runAsNonRoot: true },
      imageUser: { username: 'app' },
      says: 'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: "p_n(u)", container: c)',
    },
    {
      rule: 'nothing, for an image with a numeric user',
      own: { runAsNonRoot: true },
      imageUser: { uid: 7 },
      says: 'configured',
    },
  ] as const)('rejects $rule: $says', ({ own, says, ...more }) => {
    expect(refused(own, (more as { imageUser?: ContainerConfigInput['imageUser'] }).imageUser)).toBe(says);
  });

  it('sends kernel parameters in dotted form', () => {
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
      rule: 'more CPUs than the maximum weight',
      resources: { requests: { cpu: '1000' } },
      is: { cpuShares: 262_144n },
    },
    {
      rule: 'a request of zero, which differs from no request',
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
      rule: 'limits of the pod if it has none',
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

describe('the annotations of a container', () => {
  it.each([
    { rule: 'a handler without members', preStop: {}, text: '{}' },
    {
      rule: 'a command',
      preStop: { exec: { command: ['a', '<&>'] } },
      text: String.raw`{"exec":{"command":["a","\u003c\u0026\u003e"]}}`,
    },
    { rule: 'an empty command', preStop: { exec: {} }, text: '{"exec":{}}' },
    {
      rule: 'a request',
      preStop: {
        httpGet: { scheme: 'HTTP', host: '', port: 'web', path: '/x', httpHeaders: [{ name: 'A', value: '' }] },
      },
      text: '{"httpGet":{"path":"/x","port":"web","scheme":"HTTP","httpHeaders":[{"name":"A","value":""}]}}',
    },
    { rule: 'a sleep', preStop: { sleep: { seconds: 0 } }, text: '{"sleep":{"seconds":0}}' },
  ])('its preStop hook: $rule', ({ preStop, text }) => {
    expect(
      configOf(podWith({}, { lifecycle: { preStop } })).annotations['io.kubernetes.container.preStopHandler'],
    ).toBe(text);
  });

  it('include its grace period, also zero', () => {
    const pod = podWith({ terminationGracePeriodSeconds: 0 }, {}, { deletionGracePeriodSeconds: 0 });
    expect(configOf(pod).annotations).toMatchObject({
      'io.kubernetes.pod.terminationGracePeriod': '0',
      'io.kubernetes.pod.deletionGracePeriod': '0',
    });
  });
});
