import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/config/check/config-problem.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import { defaultConfiguration, loadConfiguration } from '../../src/config/load-configuration.ts';
import { configOf, HEAD, load, problemsOf } from './load-support.ts';

const onlyFile = (text: string | Error) =>
  loadConfiguration({
    flags: { config: 'kubelet.yaml' },
    files: {
      readFile: () => (typeof text === 'string' ? Promise.resolve(text) : Promise.reject(text)),
      listFilesBelow: () => Promise.resolve([]),
    },
  });

describe('a configuration file that cannot be used', () => {
  it.each([
    [
      'is missing',
      new Error('ENOENT: no such file'),
      ['kubelet.yaml: expected a file that can be read (ENOENT: no such file)'],
    ],
    ['is empty', '', ['kubelet.yaml:1:1: expected a KubeletConfiguration, but the file is empty']],
    [
      'holds only a comment',
      '# nothing\n',
      ['kubelet.yaml:1:1: expected a KubeletConfiguration, but the file is empty'],
    ],
    ['holds a list', '- 1\n', ['kubelet.yaml:1:1: found - 1, expected the fields of a KubeletConfiguration']],
    [
      'has another version and kind',
      'apiVersion: v1\nkind: Pod\n',
      [
        'kubelet.yaml:1:13: apiVersion: found v1, expected kubelet.config.k8s.io/v1beta1',
        'kubelet.yaml:2:7: kind: found Pod, expected KubeletConfiguration',
      ],
    ],
    [
      'names a key twice',
      `${HEAD}maxPods: 5\nmaxPods: 6\n`,
      ['kubelet.yaml:4:1: maxPods: found maxPods, expected each key once: this one was used above'],
    ],
    [
      'names an entry twice',
      `${HEAD}evictionHard: {memory.available: 1Mi, memory.available: 2Mi}\n`,
      [
        'kubelet.yaml:3:39: evictionHard["memory.available"]: found memory.available, expected each key once: this one was used above',
      ],
    ],
  ])('because it %s reports the problem', async (_, text, expected) => {
    const loaded = await onlyFile(text);
    expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual(expected);
  });

  it.each(['maxPods: [1, 2', 'a: b: c', `${HEAD}---\n${HEAD}`, `${HEAD}maxPods: *nowhere`])(
    'because of its syntax names the place: %j',
    async (text) => {
      const loaded = await onlyFile(text);
      expect(loaded.ok ? [] : loaded.problems.map(({ code }) => code)).toContain('syntax');
    },
  );
});

describe('gates of other components', () => {
  it.each([
    'featureGates: {VolumeAttributesClass: true}',
    'featureGates: {MutatingAdmissionPolicy: true, EventedPLEG: true}',
    'featureGates: {SchedulerAsyncPreemption: false}',
  ])('are accepted, and not named as settings without effect: %s', async (body) => {
    const loaded = await load({ body });
    expect(loaded).toMatchObject({ ok: true });
    expect(loaded.ok && loaded.notActedOn.filter((path) => !path.includes('EventedPLEG'))).toEqual([]);
  });

  it('accept only the value they have when they are locked', async () => {
    const problems = await problemsOf({ body: 'featureGates: {APIServerTracing: false}' });
    expect(problems.map(formatProblem)).toEqual([
      expect.stringContaining('featureGates["APIServerTracing"]: found false, expected true: this gate is locked'),
    ]);
  });
});

describe('a configuration file', () => {
  it('may be JSON', async () => {
    const text = JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      maxPods: 7,
    });
    expect(await onlyFile(text)).toMatchObject({ ok: true, config: { maxPods: 7 } });
  });

  it('reports all of its problems at once, each with its place', async () => {
    const body = [
      'maxPod: 5',
      'port: 70000',
      'syncFrequency: 10',
      'authentication: {webhook: {cacheTTL: soon}}',
      'evictionHard:',
      '  memory.available: lots',
      '  memory.avail: 100Mi',
      'featureGates: {EventdPLEG: true}',
      'imageGCLowThresholdPercent: 90',
      'cpuManagerPolicyOptions: {full-pcpus-only: true}',
    ].join('\n');
    const shown = (await problemsOf({ body })).map(formatProblem);
    expect(shown.toSorted()).toEqual([
      '/etc/kubelet.yaml:10:28: featureGates["EventdPLEG"]: found EventdPLEG, expected a feature gate of a node; did you mean "EventedPLEG"?',
      '/etc/kubelet.yaml:11:29: imageGCLowThresholdPercent: found 90, expected less than imageGCHighThresholdPercent (85)',
      '/etc/kubelet.yaml:12:44: cpuManagerPolicyOptions["full-pcpus-only"]: found true, expected text: write it in quotes, "true"',
      '/etc/kubelet.yaml:3:1: maxPod: found maxPod, expected a known field; did you mean "maxPods"?',
      '/etc/kubelet.yaml:4:7: port: found 70000, expected 1 to 65535',
      '/etc/kubelet.yaml:5:16: syncFrequency: found 10, expected a duration such as "1m30s" or "300ms"',
      '/etc/kubelet.yaml:6:38: authentication.webhook.cacheTTL: found soon, expected a duration such as "1m30s" or "300ms"',
      '/etc/kubelet.yaml:8:21: evictionHard["memory.available"]: found lots, expected an amount above 0 such as 100Mi, or a percentage from 0% to 100%',
      expect.stringContaining(
        '/etc/kubelet.yaml:9:17: evictionHard["memory.avail"]: found memory.avail, expected one of the eviction signals',
      ),
    ]);
  });

  it('treats zero as the default unless the field is a pointer', async () => {
    const config = await configOf({
      body: 'port: 0\nsyncFrequency: 0s\nhealthzPort: 0\nregistryPullQPS: 0\nresolvConf: ""\n',
    });
    expect(config).toMatchObject({
      port: 10_250,
      syncFrequency: 60_000,
      healthzPort: 0,
      registryPullQPS: 0,
      resolvConf: '',
    });
  });

  it('of kubeadm, full of zeroes, equals the defaults', async () => {
    const body = [
      'authentication: {anonymous: {enabled: false}, webhook: {cacheTTL: 0s, enabled: true}, x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}}',
      'authorization: {mode: Webhook, webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}}',
      'containerRuntimeEndpoint: ""',
      'cpuManagerReconcilePeriod: 0s',
      'crashLoopBackOff: {}',
      'evictionPressureTransitionPeriod: 0s',
      'imageMaximumGCAge: 0s',
      'imageMinimumGCAge: 0s',
      'logging: {flushFrequency: 0, options: {json: {infoBufferSize: "0"}, text: {infoBufferSize: "0"}}, verbosity: 0}',
      'memorySwap: {}',
      'nodeStatusReportFrequency: 0s',
      'nodeStatusUpdateFrequency: 0s',
      'shutdownGracePeriod: 0s',
      'shutdownGracePeriodCriticalPods: 0s',
      'syncFrequency: 0s',
    ].join('\n');
    const { authentication, ...others } = await configOf({ body });
    expect(authentication).toMatchObject({
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
      webhook: { cacheTTL: 120_000 },
    });
    expect(defaultConfiguration()).toMatchObject(others);
  });

  it('treats null as absent', async () => {
    expect(await configOf({ body: 'maxPods: null\nlogging:\nevictionHard: ~\n' })).toMatchObject({
      maxPods: 110,
      logging: { verbosity: 0 },
    });
  });

  it.each([
    ['names no hard thresholds', '', { 'memory.available': '100Mi', 'imagefs.inodesFree': '5%' }],
    [
      'merges its own with the defaults',
      'evictionHard: {memory.available: 1Gi}\nmergeDefaultEvictionSettings: true',
      { 'memory.available': '1Gi', 'imagefs.inodesFree': '5%' },
    ],
  ])('that %s gets the defaults', async (_, body, expected) => {
    expect((await configOf({ body })).evictionHard).toMatchObject(expected);
  });

  it.each(['evictionHard: {}', 'evictionHard: {memory.available: 1Gi}'])(
    'with %s gets no other thresholds',
    async (body) => {
      expect(Object.keys((await configOf({ body })).evictionHard)).not.toContain('nodefs.available');
    },
  );

  it.each([
    ['nodeStatusUpdateFrequency: 30s', { nodeStatusReportFrequency: 30_000 }],
    ['maxParallelImagePulls: 4', { serializeImagePulls: false }],
    ['maxParallelImagePulls: 1', { serializeImagePulls: true }],
    ['podPidsLimit: -7', { podPidsLimit: -1 }],
    ['featureGates: {KubeletCrashLoopBackOffMax: false}', { crashLoopBackOff: { maxContainerRestartPeriod: null } }],
    ['featureGates: {KubeletEnsureSecretPulledImages: false}', { imagePullCredentialsVerificationPolicy: '' }],
    ['staticPodPath: manifests', { staticPodPath: '/etc/manifests' }],
    ['logging: {flushFrequency: 1000000000}', { logging: { flushFrequency: 1_000 } }],
    [
      'registerWithTaints: [{key: a, effect: NoSchedule}]',
      { registerWithTaints: [{ key: 'a', value: '', effect: 'NoSchedule' }] },
    ],
    ['clusterDNS: &dns [10.0.0.1]\ntlsCipherSuites: *dns', { tlsCipherSuites: ['10.0.0.1'] }],
  ])('with %s follows', async (body, expected) => {
    expect(await configOf({ body })).toMatchObject(expected);
  });

  it('reports fields without an effect', async () => {
    const body =
      'maxPods: 5\ncpuManagerPolicy: none\nlogging: {verbosity: 2, flushFrequency: 1s}\nfeatureGates: {EventedPLEG: true, KubeletCrashLoopBackOffMax: true}\n';
    const loaded = await load({
      body,
      flags: { 'runtime-cgroups': '/runtime', 'node-ip': '10.0.0.1', 'cpu-manager-policy': 'none' },
    });
    expect(loaded.ok && loaded.notActedOn).toEqual([
      'cpuManagerPolicy',
      'logging.flushFrequency',
      'featureGates["EventedPLEG"]',
      '--runtime-cgroups',
    ]);
  });

  it('decides feature gates, also by stage', async () => {
    const config = await configOf({ body: 'featureGates: {AllAlpha: true, EventedPLEG: false}' });
    expect([gatesOf(config)('EventedPLEG'), gatesOf(config)('PodsAPI'), gatesOf(config)('SELinuxMount')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('drop-in files', () => {
  it('are merged over the file in order of their names; files without .conf are skipped', async () => {
    const config = await configOf({
      body: 'maxPods: 1\nclusterDNS: [10.0.0.1, 10.0.0.2]\nevictionSoft: {}\nsystemReserved: {cpu: "1", memory: 1Gi}\nclusterDomain: old\n',
      dropIns: {
        '20-b.conf': 'maxPods: 20\n',
        '10-a.conf': 'maxPods: 10\nclusterDNS: [10.0.0.3]\nsystemReserved: {cpu: "2"}\nclusterDomain: null\n',
        'README.md': 'maxPods: 99\n',
      },
    });
    expect(config).toMatchObject({
      maxPods: 20,
      clusterDNS: ['10.0.0.3'],
      systemReserved: { cpu: '2', memory: '1Gi' },
      clusterDomain: '',
    });
  });

  it('lie in folders below the folder, too, each folder at its place in the order', async () => {
    const config = await configOf({
      body: 'maxPods: 1\nclusterDomain: file\n',
      dropIns: {
        '20.conf': 'clusterDomain: last\n',
        '10/90.conf': 'maxPods: 90\nclusterDomain: below\n',
        '10/5/1.conf': 'maxPods: 5\n',
        '10.conf': 'maxPods: 10\n',
      },
    });
    // The order is 10/5/1, 10/90, 10, 20: a folder comes before a file whose name it begins.
    expect(config).toMatchObject({ maxPods: 10, clusterDomain: 'last' });
  });

  it('are named by the problems in them', async () => {
    const problems = await problemsOf({ body: 'maxPods: 5\n', dropIns: { '10-a.conf': 'maxPods: -1\n' } });
    expect(problems.map(formatProblem)).toEqual([
      '/etc/kubelet.d/10-a.conf:3:10: maxPods: found -1, expected 0 or more',
    ]);
  });
});
