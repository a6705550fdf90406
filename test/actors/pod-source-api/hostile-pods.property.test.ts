import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodReader } from '../../../actors/pod-source-api/pod-reader.ts';
import { apiObjectsReferencedBy } from '../../../src/kube/manifest/api-references.ts';
import { podEventObject } from '../../../src/kube/event.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { podTotal } from '../../../src/kube/pod-resources.ts';
import { isCriticalPod } from '../../../src/kube/manifest/static-pod.ts';
import { AdmittedPods } from '../../../src/node/admission/admitted-pods.ts';
import { HostPorts } from '../../../src/node/admission/host-ports.ts';
import { COMMON_RULES, judgeMore, judgePod } from '../../../src/node/admission/pod-admission.ts';
import { apiPodStatus } from '../../../src/pod/status/api-status.ts';
import { computePodActions } from '../../../src/pod/sync/compute-pod-actions.ts';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import { containerHash } from '../../../src/pod/values/container-hash.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import { planVolumes } from '../../../src/volumes/plan/plan-volumes.ts';
import { goldenNode } from '../../pod/cri-config/golden-case.ts';
import { NOW, record, runtime } from '../../pod/pods.ts';

const full = (name: string): Container => ({
  name,
  image: 'registry.test/web:1',
  command: ['sh', '-c'],
  args: ['$(A)'],
  env: [
    { name: 'A', value: 'b' },
    { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
    { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'web', key: 'a', optional: true } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'web', optional: true } }],
  ports: [{ name: 'http', containerPort: 80, hostPort: 8080, protocol: 'TCP' }],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  volumeMounts: [
    { name: 'cache', mountPath: '/cache', subPath: 'a' },
    { name: 'all', mountPath: '/all', readOnly: true },
  ],
  livenessProbe: { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] }, periodSeconds: 10 },
  lifecycle: { preStop: { exec: { command: ['true'] } } },
  securityContext: { capabilities: { add: ['NET_ADMIN'] }, seccompProfile: { type: 'RuntimeDefault' }, runAsUser: 5 },
});

const whole = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'uid-1',
    resourceVersion: '5',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
    annotations: { a: 'b' },
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }],
  },
  spec: {
    nodeName: 'node-1',
    containers: [full('main')],
    initContainers: [{ ...full('init'), restartPolicy: 'Always' }],
    ephemeralContainers: [{ name: 'debug', image: 'sh', targetContainerName: 'main' }],
    volumes: [
      { name: 'cache', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      {
        name: 'all',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
            { configMap: { name: 'web', items: [{ key: 'a', path: 'b' }] } },
            { downwardAPI: { items: [{ path: 'ns', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
            { clusterTrustBundle: { signerName: 's', path: 'c', labelSelector: { matchLabels: { a: 'b' } } } },
            { podCertificate: { signerName: 's', keyType: 'ED25519', keyPath: 'k' } },
          ],
        },
      },
      { name: 'unused', csi: { driver: 'd', volumeAttributes: { a: 'b' } } },
    ],
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'os', operator: 'In', values: ['linux'] }] }],
        },
      },
    },
    nodeSelector: { os: 'linux' },
    securityContext: { fsGroup: 5, supplementalGroups: [6], sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] },
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }],
    dnsConfig: { nameservers: ['192.0.2.2'], searches: ['a'], options: [{ name: 'ndots', value: '2' }] },
    readinessGates: [{ conditionType: 'a/b' }],
    overhead: { cpu: '10m' },
    terminationGracePeriodSeconds: 30,
    restartPolicy: 'Always',
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    containerStatuses: [
      { name: 'main', ready: true, restartCount: 1, image: 'i', imageID: 'i', state: { running: {} }, lastState: {} },
    ],
    startTime: '2026-01-01T00:00:00Z',
  },
};

/** Every place in a pod, as the steps that lead there. */
function placesIn(value: unknown, steps: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [steps];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [
    ...(steps.length === 0 ? [] : [steps]),
    ...entries.flatMap(([step, each]) => placesIn(each, [...steps, step])),
  ];
}

/** Returns a copy with another value in one place; a missing place is skipped. */
function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  if (typeof value !== 'object' || value === null || !(step in value)) return value;
  const inner = replaced((value as Record<string | number, unknown>)[step], rest, by);
  if (Array.isArray(value)) return value.map((each: unknown, at) => (at === step ? inner : each));
  return { ...value, [step]: inner };
}

const place = fc.constantFrom(...placesIn(whole));
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    [],
    {},
    [null],
    [[]],
    { a: null },
    [{}],
  ),
  fc.constantFrom('', '.', '..', '../../etc', '/', 'a\0b', 'x'.repeat(300), 'a b', 'metadata.labels'),
  fc.constantFrom('9e999', '-1', 'NaN', 'Infinity', '1Ei'),
  fc.jsonValue({ maxDepth: 2 }),
);

const around = {
  node: {
    name: 'node-1',
    labels: { os: 'linux' },
    os: 'linux',
    allocatable: { cpu: '8', memory: '8Gi', pods: '10' },
    taints: [{ key: 'a', value: '', effect: 'NoExecute' } as const],
    strictSupplementalGroups: true,
  },
  admitted: new AdmittedPods(),
  pressures: undefined,
  shutdown: 'none',
  rules: COMMON_RULES,
} as const;

/** Derives everything that the agent derives from a pod. */
function lived(pod: Pod): void {
  const status = runtime({ containers: [record('main')] });
  podEventObject(pod, 'main');
  isCriticalPod(pod);
  qosClass(pod);
  podTotal(pod.spec, 'requests');
  apiObjectsReferencedBy(pod);
  judgePod(pod, { ...around, mayEnd: () => true });
  judgeMore(pod, around);
  const ports = new HostPorts();
  ports.take(pod.spec);
  ports.giveBack(pod.spec);
  planVolumes(pod, goldenNode);
  sandboxConfig({ pod, attempt: 0, node: goldenNode });
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    containerHash(container);
    containerConfig({
      pod,
      container,
      restartCount: 0,
      imageRef: 'ref',
      imageUser: {},
      podIps: ['192.0.2.9'],
      hostIps: ['192.0.2.1'],
      node: goldenNode,
      sources: { ...noConfigSources, services: () => ({ type: 'found', value: [] }) },
      terminationFile: '0a1b2c3d',
    });
  }
  computePodActions({ pod, status });
  const input = { pod, runtime: status, runtimeName: 'containerd', hostIps: ['192.0.2.1'], now: NOW };
  const shown = apiPodStatus(input);
  apiPodStatus({ ...input, previous: shown });
}

describe('a pod of the API with any value in any place', () => {
  const reader = new PodReader('node-1');
  const read = (object: unknown): Pod | undefined =>
    reader.problemOf(object, () => undefined) === undefined ? reader.read(object, () => undefined, NOW) : undefined;

  it('is accepted unchanged', () => {
    const pod = read(whole);
    expect(pod).toBeDefined();
    if (pod !== undefined) lived(pod);
  });

  it('is left out, or the agent can derive everything from it', { timeout: 120_000 }, () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(place, hostile), { minLength: 1, maxLength: 2 }), (changes) => {
        let object: unknown = whole;
        for (const [at, by] of changes) object = replaced(object, at, by);
        const pod = read(object);
        if (pod === undefined) return;
        taken += 1;
        lived(pod);
      }),
      { numRuns: 4_000 },
    );
    // A check that refused everything would hold as well.
    expect(taken).toBeGreaterThan(200);
  });
});
