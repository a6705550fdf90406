import { describe, expect, it } from 'vitest';
import { MountPropagation, NamespaceMode, Protocol, SecurityProfile_ProfileType } from '../../../src/cri/gen/api.ts';
import type { ContainerConfig } from '../../../src/cri/gen/api.ts';
import type { Container, Pod, PodSpec } from '../../../src/kube/pod.ts';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import type { ContainerConfigInput } from '../../../src/pod/cri-config/container-config.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import { goldenNode } from './golden-case.ts';

const podWith = (spec: Partial<PodSpec>, container: Partial<Container> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
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
    hostIps: ['192.0.2.1'],
    node: goldenNode,
    sources: noConfigSources,
    terminationFile: '0a1b2c3d',
    ...change,
  });

function configOf(pod: Pod, change: Partial<ContainerConfigInput> = {}): ContainerConfig {
  const outcome = outcomeOf(pod, change);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.config;
}

const messageOf = (pod: Pod, change: Partial<ContainerConfigInput> = {}): string => {
  const outcome = outcomeOf(pod, change);
  return outcome.ok ? 'configured' : outcome.message;
};

describe('the resources of a container', () => {
  const burstable = podWith({}, { resources: { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } } });
  const v2 = { ...goldenNode, cgroupVersion: 2, singleProcessOOMKill: false } as const;
  const swapping = {
    ...v2,
    memoryCapacityBytes: 8n << 30n,
    swap: { controller: 'available', behavior: 'LimitedSwap', capacityBytes: 4n << 30n },
  } as const;

  it.each([
    {
      rule: 'no swap, and killed as a whole',
      pod: burstable,
      node: v2,
      unified: { 'memory.oom.group': '1', 'memory.swap.max': '0' },
    },
    {
      rule: 'a share of swap',
      pod: burstable,
      node: swapping,
      unified: { 'memory.oom.group': '1', 'memory.swap.max': String(512 << 20) },
    },
    {
      rule: 'no swap without a memory request',
      pod: podWith({}, { resources: { requests: { cpu: '1' } } }),
      node: swapping,
      unified: { 'memory.oom.group': '1', 'memory.swap.max': '0' },
    },
    {
      rule: 'no swap for critical pods',
      pod: podWith({ priority: 2e9 }, { resources: { requests: { memory: '1Gi' } } }),
      node: swapping,
      unified: { 'memory.oom.group': '1', 'memory.swap.max': '0' },
    },
    {
      rule: 'nothing where swap is not counted and processes die alone',
      pod: burstable,
      node: { ...v2, singleProcessOOMKill: true, swap: { ...v2.swap, controller: 'absent' } },
      unified: {},
    },
  ] as const)('on cgroup v2: $rule', ({ pod, node, unified }) => {
    const resources = configOf(pod, { node }).linux?.resources;
    expect(resources?.unified).toEqual(unified);
    expect(resources?.memorySwapLimitInBytes).toBe(0n);
  });

  const memory = (request: string | undefined, limit?: string) =>
    podWith(
      {},
      {
        resources: {
          ...(request && { requests: { cpu: '1', memory: request } }),
          ...(limit && { limits: { cpu: '1', memory: limit } }),
        },
      },
    );
  // Of 1000 pages, 100 are asked for, and nine tenths of the others are let pass.
  const [request, limit] = [String(100 * 4096), String(1000 * 4096)];
  it.each([
    { rule: 'guaranteed', pod: memory(limit, limit), reserves: true, min: limit, low: '0' },
    { rule: 'burstable', pod: memory(request, limit), reserves: true, min: '0', low: request, high: 910 * 4096 },
    {
      rule: 'without a reservation',
      pod: memory(request, limit),
      reserves: false,
      min: '0',
      low: '0',
      high: 910 * 4096,
    },
    {
      rule: 'without a limit: up to the node’s capacity',
      pod: memory(request),
      reserves: true,
      min: '0',
      low: request,
      high: 9010 * 4096,
    },
    { rule: 'best effort', pod: memory(undefined), reserves: true, min: '0', low: '0', high: 9000 * 4096 },
    { rule: 'less than a page between them', pod: memory('4000000', '4000004'), reserves: false, min: '0', low: '0' },
  ])('have their memory kept, and are slowed down before their limit: $rule', ({ pod, reserves, min, low, high }) => {
    const allocatable = { memory: String(10_000 * 4096) };
    const memoryQos = { throttlingFactor: 0.9, reserves };
    const node = { ...v2, singleProcessOOMKill: true, swap: { ...v2.swap, controller: 'absent' as const } };
    expect(configOf(pod, { node: { ...node, allocatable, memoryQos } }).linux?.resources?.unified).toEqual({
      'memory.min': min,
      'memory.low': low,
      ...(high !== undefined && { 'memory.high': String(high) }),
    });
  });

  it('have no quota if the node does not enforce quotas', () => {
    const pod = podWith({}, { resources: { limits: { cpu: '1' } } });
    const resources = configOf(pod, { node: { ...goldenNode, cpuCfsQuota: false } }).linux?.resources;
    expect(resources).toMatchObject({ cpuPeriod: 0n, cpuQuota: 0n, cpuShares: 1024n });
  });

  it('name every size of huge pages, and the CPUs that managers chose', () => {
    const pod = podWith({}, { resources: { limits: { 'hugepages-2Mi': '4Mi' } } });
    const resources = configOf(pod, {
      cpusetCpus: '0-1',
      cpusetMems: '0',
      node: { ...goldenNode, hugePageSizes: [65_536n, 1n << 21n] },
    }).linux?.resources;
    expect(resources?.hugepageLimits).toEqual([
      { pageSize: '64KB', limit: 0n },
      { pageSize: '2MB', limit: 4n << 20n },
    ]);
    expect(resources).toMatchObject({ cpusetCpus: '0-1', cpusetMems: '0' });
  });
});

describe('the security of a container', () => {
  it.each([
    {
      rule: 'user 0',
      container: { runAsUser: 0 },
      imageUser: {},
      message: "container's runAsUser breaks non-root policy",
    },
    {
      rule: 'an image that runs as root',
      container: {},
      imageUser: { uid: 0 },
      message: 'container has runAsNonRoot and image will run as root',
    },
    {
      rule: 'an image whose user is unknown',
      container: {},
      imageUser: undefined,
      message: 'container has runAsNonRoot and image will run as root',
    },
    {
      rule: 'an image with a named user',
      container: {},
      imageUser: { username: 'app' },
      message: 'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root',
    },
  ])('refuses $rule where root is forbidden', ({ container, imageUser, message }) => {
    const pod = podWith({ securityContext: { runAsNonRoot: true } }, { securityContext: container });
    expect(messageOf(pod, { imageUser })).toBe(`${message} (pod: "p_n(u)", container: c)`);
  });

  it('lets the container overrule its pod on root', () => {
    const pod = podWith({ securityContext: { runAsNonRoot: true } }, { securityContext: { runAsNonRoot: false } });
    expect(messageOf(pod)).toBe('configured');
  });

  it('has the default seccomp profile if the node sets it', () => {
    const node = { ...goldenNode, seccompDefault: true };
    expect(configOf(podWith({}), { node }).linux?.securityContext?.seccomp?.profileType).toBe(
      SecurityProfile_ProfileType.RuntimeDefault,
    );
  });

  it('masks the paths that exist on this host, and nothing if unmasked', () => {
    const node = { ...goldenNode, thermalThrottlePaths: ['/sys/x'] };
    expect(configOf(podWith({}), { node }).linux?.securityContext?.maskedPaths).toContain('/sys/x');
    const unmasked = configOf(podWith({}, { securityContext: { procMount: 'Unmasked' } }), { node }).linux
      ?.securityContext;
    expect(unmasked).toMatchObject({ maskedPaths: [], readonlyPaths: [] });
  });

  it.each([
    {
      annotation: 'runtime/default',
      text: 'runtime/default',
      type: SecurityProfile_ProfileType.RuntimeDefault,
      ref: '',
    },
    { annotation: 'localhost/mine', text: 'localhost/mine', type: SecurityProfile_ProfileType.Localhost, ref: 'mine' },
  ])('takes the AppArmor profile $annotation from the old annotation', ({ annotation, text, type, ref }) => {
    const plain = podWith({});
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': annotation };
    const security = configOf({ ...plain, metadata: { ...plain.metadata, annotations } }).linux?.securityContext;
    expect(security?.apparmor).toEqual({ profileType: type, localhostRef: ref });
    expect(security?.apparmorProfile).toBe(text);
  });
});

describe('the namespaces of a container', () => {
  const userIds = { firstHostId: 65_536, length: 65_536 };
  const mapping = { hostId: 65_536, containerId: 0, length: 65_536 };

  it('map user IDs in a pod with a user namespace, in every mount too', () => {
    const pod = podWith({ hostUsers: false }, { terminationMessagePath: '/dev/termination-log' });
    const config = configOf(pod, { userIds });
    expect(config.linux?.securityContext?.namespaceOptions?.usernsOptions).toEqual({
      mode: NamespaceMode.POD,
      uids: [mapping],
      gids: [mapping],
    });
    expect(config.mounts.map(({ uidMappings, gidMappings }) => [uidMappings, gidMappings])).toEqual([
      [[mapping], [mapping]],
      [[mapping], [mapping]],
    ]);
    expect(sandboxConfig({ pod, attempt: 0, node: goldenNode, userIds })).toMatchObject({ ok: true });
    expect(sandboxConfig({ pod, attempt: 0, node: goldenNode })).toMatchObject({ ok: false });
  });

  it('are those of the target for an ephemeral container', () => {
    const options = configOf(podWith({}), { targetContainerId: 'id' }).linux?.securityContext?.namespaceOptions;
    expect(options).toMatchObject({ pid: NamespaceMode.TARGET, targetId: 'id' });
    const shared = configOf(podWith({ shareProcessNamespace: true }), { targetContainerId: 'id' });
    expect(shared.linux?.securityContext?.namespaceOptions).toMatchObject({ pid: NamespaceMode.POD, targetId: '' });
  });
});

describe('the mounts of a container', () => {
  const mounting = (mount: object, volume: object = { emptyDir: {} }): Pod =>
    podWith({ volumes: [{ name: 'v', ...volume }] }, { volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] });

  it.each([
    {
      rule: 'a volume that was not mounted',
      pod: mounting({}, { nfs: { server: 's', path: '/' } }),
      message: 'cannot find volume "v" to mount into container "c"',
    },
    {
      rule: 'an absolute part',
      pod: mounting({ subPath: '/a' }),
      message: 'error SubPath `/a` must not be an absolute path',
    },
    {
      rule: 'a part outside',
      pod: mounting({ subPath: 'a/../..' }),
      message: "unable to provision SubPath `a/../..`: must not contain '..'",
    },
    { rule: 'a part of unknown name', pod: mounting({ subPathExpr: 'a/$(B)' }), message: 'missing value for B' },
  ])('cannot have $rule', ({ pod, message }) => {
    expect(messageOf(pod)).toBe(message);
  });

  it('use the bound path for a subPath', () => {
    const pod = mounting({ subPath: 'a/b', mountPropagation: 'HostToContainer' });
    const outcome = outcomeOf(pod);
    const bindPath = '{{ROOT}}/pods/u/volume-subpaths/v/c/0';
    expect(outcome).toMatchObject({
      ok: true,
      subPaths: [{ volumeHostPath: '{{ROOT}}/pods/u/volumes/kubernetes.io~empty-dir/v', subPath: 'a/b', bindPath }],
      config: {
        mounts: [
          { containerPath: '/v', hostPath: bindPath, propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER },
          {},
        ],
      },
    });
  });

  it('take volumes from where others mounted them', () => {
    const mountedVolumes = new Map([['v', { hostPath: '/mnt/nfs', readOnly: false }]]);
    const pod = mounting({}, { nfs: { server: 's', path: '/' } });
    expect(configOf(pod, { mountedVolumes }).mounts[0]?.hostPath).toBe('/mnt/nfs');
  });

  it('have no managed hosts file if the container mounts its own, or the pod has no address', () => {
    const own = podWith(
      { volumes: [{ name: 'h', hostPath: { path: '/h' } }] },
      { volumeMounts: [{ name: 'h', mountPath: '/etc/hosts' }] },
    );
    expect(configOf(own).mounts.map(({ hostPath }) => hostPath)).toEqual(['/h']);
    expect(configOf(podWith({}), { podIps: [] }).mounts).toEqual([]);
  });
});

describe('a second start', () => {
  it('is in the attempt, the log file and the annotation', () => {
    const config = configOf(podWith({}), { restartCount: 3 });
    expect(config.metadata?.attempt).toBe(3);
    expect(config.logPath).toBe('c/3.log');
    expect(config.annotations['io.kubernetes.container.restartCount']).toBe('3');
  });
});

describe('the ports of a sandbox', () => {
  it('are those of its containers, each once per container', () => {
    const port = { containerPort: 80 };
    const pod = podWith(
      {},
      { ports: [port, port, { ...port, name: 'a' }, { containerPort: 81, name: 'a' }, { ...port, protocol: 'UDP' }] },
    );
    const outcome = sandboxConfig({ pod, attempt: 0, node: goldenNode });
    expect(
      outcome.ok && outcome.config.portMappings.map(({ protocol, containerPort }) => [protocol, containerPort]),
    ).toEqual([
      [Protocol.TCP, 80],
      [Protocol.TCP, 80],
      [Protocol.UDP, 80],
    ]);
  });

  it('do not depend on a host name that a host network pod never gets', () => {
    const long = { hostname: 'a'.repeat(60), subdomain: 'b', setHostnameAsFQDN: true };
    expect(sandboxConfig({ pod: podWith(long), attempt: 0, node: goldenNode })).toMatchObject({ ok: false });
    const pod = podWith({ ...long, hostNetwork: true });
    expect(sandboxConfig({ pod, attempt: 0, node: goldenNode })).toMatchObject({ ok: true, config: { hostname: '' } });
  });
});
