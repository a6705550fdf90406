import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/config/check/config-problem.ts';
import { configOf, load, problemsOf } from './load-support.ts';

describe('flags', () => {
  it('win over the file', async () => {
    const config = await configOf({
      body: 'maxPods: 5\nfeatureGates: {EventedPLEG: true, PodsAPI: true}\nevictionHard: {pid.available: 5%}\n',
      flags: {
        'max-pods': '6',
        'feature-gates': 'PodsAPI=false',
        'eviction-hard': 'memory.available<1Gi,nodefs.available<5%',
      },
    });
    expect(config).toMatchObject({
      maxPods: 6,
      featureGates: { EventedPLEG: true, PodsAPI: false },
      evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '5%' },
    });
    expect(config.evictionHard).not.toHaveProperty(['pid.available']);
  });

  it.each([
    [{ 'pod-manifest-path': '/m' }, { staticPodPath: '/m' }],
    [{ 'max-pods': '0' }, { maxPods: 0 }],
    [{ max_pods: '3' }, { maxPods: 3 }],
    [{ v: '4' }, { logging: { verbosity: 4 } }],
    [{ 'serialize-image-pulls': true }, { serializeImagePulls: true }],
    [{ 'cpu-cfs-quota': 'F' }, { cpuCFSQuota: false }],
    [{ 'cluster-dns': ['10.0.0.1,10.0.0.2', '10.0.0.3'] }, { clusterDNS: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }],
    [{ 'runtime-request-timeout': '90s' }, { runtimeRequestTimeout: 90_000 }],
    [{ 'system-reserved': 'cpu=100m,memory=1Gi' }, { systemReserved: { cpu: '100m', memory: '1Gi' } }],
    [
      { 'register-with-taints': 'a/b=c:NoSchedule,d:NoExecute' },
      {
        registerWithTaints: [
          { key: 'a/b', value: 'c' },
          { key: 'd', value: '' },
        ],
      },
    ],
    [
      { 'reserved-memory': '0:memory=1Gi,hugepages-2Mi=2Mi;1:memory=1Gi' },
      { reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }, { numaNode: 1 }] },
    ],
    [{ 'manifest-url-header': 'a:b,a:c' }, { staticPodURLHeader: { a: ['b', 'c'] } }],
    [{ vmodule: 'pod*=3' }, { logging: { vmodule: [{ filePattern: 'pod*', verbosity: 3 }] } }],
    [
      { 'log-json-split-stream': 'true', 'feature-gates': 'LoggingAlphaOptions=true' },
      { logging: { options: { json: { splitStream: true } } } },
    ],
  ])('%j set %j', async (flags, expected) => {
    expect(await configOf({ body: '', flags })).toMatchObject(expected);
  });

  it.each([
    [{ 'max-pods': 'abc' }, '--max-pods=abc: expected an integer from -2147483648 to 2147483647 (maxPods)'],
    [{ 'max-pods': '-1' }, '--max-pods=-1: expected 0 or more (maxPods)'],
    [{ 'max-pod': '1' }, '--max-pod=1: expected a flag of the kubelet; did you mean "max-pods"?'],
    [{ 'sync-frequency': '0s' }, '--sync-frequency=0s: expected 1ms or more (syncFrequency)'],
    [{ 'cgroup-driver': 'docker' }, '--cgroup-driver=docker: expected one of cgroupfs, systemd (cgroupDriver)'],
    [{ 'fail-swap-on': 'maybe' }, '--fail-swap-on=maybe: expected true or false (failSwapOn)'],
    [
      { 'container-runtime-endpoint': '' },
      '--container-runtime-endpoint=: expected a value that is not empty (containerRuntimeEndpoint)',
    ],
    [
      { 'feature-gates': 'Nonsense=true' },
      '--feature-gates=Nonsense=true: expected a feature gate of a node (featureGates["Nonsense"])',
    ],
    [
      { 'feature-gates': 'PodsAPI=perhaps' },
      '--feature-gates=PodsAPI=perhaps: expected true or false for PodsAPI (featureGates)',
    ],
    [
      { 'node-ip': '10.0.0.1,10.0.0.2' },
      '--node-ip=10.0.0.1,10.0.0.2: expected an IP address, or one of each family with a comma between',
    ],
    [
      { 'node-labels': 'node-role.kubernetes.io/master=x' },
      '--node-labels=node-role.kubernetes.io/master=x: expected no label node-role.kubernetes.io/master: a node may not give itself this one',
    ],
    [{ 'hostname-override': 'a b' }, '--hostname-override=a b: expected a name of letters, digits, - and .'],
    [
      { 'cluster-dns': '10.0.0.1,dns' },
      '--cluster-dns=10.0.0.1,dns: expected an IP address such as 10.96.0.10 (clusterDNS[1])',
    ],
    [
      { 'minimum-container-ttl-duration': '-1s' },
      '--minimum-container-ttl-duration=-1s: expected a duration such as 1m, not below 0',
    ],
    [
      { 'exit-on-lock-contention': true },
      '--exit-on-lock-contention=true: expected false, unless --lock-file is given',
    ],
    [{ 'cloud-provider': 'gce' }, '--cloud-provider=gce: expected external, or nothing'],
  ])('%j are refused: %s', async (flags, expected) => {
    expect((await problemsOf({ body: '', flags })).map(formatProblem)).toEqual([expected]);
  });

  it('hold settings that no configuration file has', async () => {
    const flags = {
      kubeconfig: '/k',
      'root-dir': '/r',
      'hostname-override': ' Node-1',
      'cloud-provider': 'external',
      'node-ip': '10.0.0.1,fd00::1',
      'node-labels': 'a=b,topology.kubernetes.io/zone=z',
      'minimum-container-ttl-duration': '1m30s',
      'maximum-dead-containers-per-container': '3',
      'maximum-dead-containers': '100',
      'image-credential-provider-config': '/c',
      'image-credential-provider-bin-dir': '/b',
      'lock-file': '/l',
      'exit-on-lock-contention': true,
    };
    const loaded = await load({ body: '', flags });
    expect(loaded.ok && loaded.options).toEqual({
      config: '/etc/kubelet.yaml',
      cloudProvider: 'external',
      configDir: null,
      bootstrapKubeconfig: null,
      kubeconfig: '/k',
      rootDir: '/r',
      certDir: '/var/lib/kubelet/pki',
      credentialProviderConfig: '/c',
      credentialProviderBinDir: '/b',
      hostnameOverride: 'node-1',
      lockFile: '/l',
      exitOnLockContention: true,
      nodeIps: ['10.0.0.1', 'fd00::1'],
      nodeLabels: { a: 'b', 'topology.kubernetes.io/zone': 'z' },
      deadContainers: { minAgeMs: 90_000, perContainer: 3, onNode: 100 },
    });
  });

  it('without a file start from the legacy defaults, and from no hard thresholds', async () => {
    const expected = {
      readOnlyPort: 10_255,
      authorization: { mode: 'AlwaysAllow' },
      authentication: { anonymous: { enabled: true } },
    };
    expect(await configOf({})).toMatchObject({ ...expected, evictionHard: {} });
    expect(await configOf({ flags: { 'authorization-mode': 'Webhook' } })).toMatchObject({
      authorization: { mode: 'Webhook' },
    });
  });
});
