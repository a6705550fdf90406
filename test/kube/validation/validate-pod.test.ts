import { describe, expect, it } from 'vitest';
import { formatFieldPath } from '../../../src/kube/validation/field-path.ts';
import type { Container, ObjectMeta, Pod, PodSpec } from '../../../src/kube/pod.ts';
import { validatePod } from '../../../src/kube/validation/validate-pod.ts';

interface Changes {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container>;
}

const podWith = ({ metadata, spec, container }: Changes): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
});

const complaints = (pod: Pod): readonly string[] =>
  validatePod(pod).map(({ path, message }) => `${formatFieldPath(path)}: ${message}`);

const C = 'spec.containers[0]';

describe('a pod', () => {
  it('with a name and a container is valid', () => {
    expect(complaints(podWith({}))).toEqual([]);
  });

  it('that uses much of the API is valid', () => {
    const pod = podWith({
      metadata: { labels: { 'example.test/a': 'b.c', d: '' }, annotations: { 'Example.test/X': 'any\ntext' } },
      spec: {
        initContainers: [
          { name: 'side', image: 'i', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 'web' } } },
        ],
        volumes: [{ name: 'v', hostPath: { path: '/a', type: 'Directory' } }],
        hostAliases: [{ ip: '::1', hostnames: ['a.test'] }],
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['1.1.1.1'] },
      },
      container: {
        env: [
          { name: 'with.dots-and spaces', value: 'x' },
          { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['d']" } } },
        ],
        volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }],
        resources: { requests: { cpu: '1' }, limits: { cpu: '1000m', 'example.test/gpu': '1' } },
        restartPolicy: 'Never',
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
      },
    });
    expect(complaints(pod)).toEqual([]);
  });

  it.each([
    { wrong: { metadata: { name: '' } }, says: 'metadata.name: is required' },
    {
      wrong: { metadata: { name: 'Web' } },
      says: 'metadata.name: must be lower case letters, digits, "-" and ".", with a letter or digit at both ends of each part',
    },
    { wrong: { metadata: { name: 'a'.repeat(254) } }, says: 'metadata.name: must have at most 253 characters' },
    {
      wrong: { metadata: { namespace: 'a.b' } },
      says: 'metadata.namespace: must be lower case letters, digits and "-", with a letter or digit at both ends',
    },
    {
      wrong: { metadata: { labels: { a: 'b c' } } },
      says: 'metadata.labels.a: must be letters, digits, "-", "_" and ".", with a letter or digit at both ends',
    },
    ...['/', '.', '..', '../../etc', 'a/b', 'a\0', '-a', 'a-', 'a b', 'ü'].map((uid) => ({
      wrong: { metadata: { uid } },
      says: 'metadata.uid: must be letters, digits, "-", "_" and ".", with a letter or digit at both ends',
    })),
    { wrong: { metadata: { uid: 'a'.repeat(129) } }, says: 'metadata.uid: must have at most 128 characters' },
    { wrong: { spec: { containers: [] } }, says: 'spec.containers: must have at least one container' },
    {
      wrong: { spec: { restartPolicy: 'Sometimes' as 'Always' } },
      says: 'spec.restartPolicy: must be one of Always, OnFailure, Never',
    },
    {
      wrong: { spec: { terminationGracePeriodSeconds: -1 } },
      says: 'spec.terminationGracePeriodSeconds: must be between 0 and 9007199254740991',
    },
    { wrong: { spec: { activeDeadlineSeconds: 0 } }, says: 'spec.activeDeadlineSeconds: must be 1 or more' },
    {
      wrong: { spec: { hostname: 'a.b' } },
      says: 'spec.hostname: must be lower case letters, digits and "-", with a letter or digit at both ends',
    },
    {
      wrong: { spec: { dnsPolicy: 'None' } },
      says: 'spec.dnsConfig.nameservers: must have at least one server where dnsPolicy is None',
    },
    {
      wrong: { spec: { dnsConfig: { nameservers: ['dns'] } } },
      says: 'spec.dnsConfig.nameservers[0]: must be an IP address',
    },
    { wrong: { spec: { hostAliases: [{ ip: 'x' }] } }, says: 'spec.hostAliases[0].ip: must be an IP address' },
    {
      wrong: { spec: { hostPID: true, shareProcessNamespace: true } },
      says: 'spec.shareProcessNamespace: must not be set beside hostPID',
    },
    {
      wrong: { spec: { hostUsers: false, hostNetwork: true } },
      says: 'spec.hostNetwork: must not be set when hostUsers is false',
    },
    {
      wrong: { spec: { securityContext: { runAsUser: -1 } } },
      says: 'spec.securityContext.runAsUser: must be 0 or more',
    },
    {
      wrong: { spec: { securityContext: { sysctls: [{ name: 'A B', value: '1' }] } } },
      says: 'spec.securityContext.sysctls[0].name: is not a valid kernel parameter name',
    },
    {
      wrong: { spec: { tolerations: [{ operator: 'Equal' }] } },
      says: 'spec.tolerations[0].operator: must be Exists without a key',
    },
    {
      wrong: { spec: { resources: { limits: { 'ephemeral-storage': '1' } } } },
      says: 'spec.resources.limits[ephemeral-storage]: cannot be set for a pod as a whole',
    },
    {
      wrong: { spec: { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/a' } }] } },
      says: 'spec.volumes[0]: must have one source, not emptyDir and hostPath',
    },
    {
      wrong: { spec: { volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] } },
      says: 'spec.volumes[0].hostPath.path: must not contain ".."',
    },
    {
      wrong: { spec: { volumes: [{ name: 'v', secret: {} }] } },
      says: 'spec.volumes[0].secret.secretName: is required',
    },
  ] satisfies { wrong: Changes; says: string }[])('is rejected: $says', ({ wrong, says }) => {
    expect(complaints(podWith(wrong))).toContain(says);
  });

  it.each([
    { wrong: { name: '' }, says: `${C}.name: is required` },
    {
      wrong: { name: 'a_b' },
      says: `${C}.name: must be lower case letters, digits and "-", with a letter or digit at both ends`,
    },
    { wrong: { image: '' }, says: `${C}.image: is required` },
    { wrong: { image: ' i' }, says: `${C}.image: must not begin or end with blanks` },
    {
      wrong: { imagePullPolicy: 'never' as 'Never' },
      says: `${C}.imagePullPolicy: must be one of Always, IfNotPresent, Never`,
    },
    { wrong: { ports: [{ containerPort: 0 }] }, says: `${C}.ports[0].containerPort: must be between 1 and 65535` },
    {
      wrong: { ports: [{ containerPort: 1, hostPort: 70_000 }] },
      says: `${C}.ports[0].hostPort: must be between 0 and 65535`,
    },
    {
      wrong: { ports: [{ containerPort: 1, name: '80' }] },
      says: `${C}.ports[0].name: must be lower case letters, digits and single "-" between them, with at least one letter`,
    },
    {
      wrong: {
        ports: [
          { containerPort: 1, name: 'a' },
          { containerPort: 2, name: 'a' },
        ],
      },
      says: `${C}.ports[1].name: appears twice`,
    },
    {
      wrong: {
        ports: [
          { containerPort: 1, hostPort: 5 },
          { containerPort: 2, hostPort: 5 },
        ],
      },
      says: `${C}.ports[1].hostPort: appears twice`,
    },
    { wrong: { env: [{ name: 'A=B' }] }, says: `${C}.env[0].name: must be printable ASCII characters without "="` },
    {
      wrong: { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      says: `${C}.env[0].valueFrom: must not be set beside a value`,
    },
    {
      wrong: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.hostname' } } }] },
      says: `${C}.env[0].valueFrom.fieldRef.fieldPath: is not a field that a variable can show`,
    },
    {
      wrong: { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } }] },
      says: `${C}.env[0].valueFrom.resourceFieldRef.resource: is not a resource that a variable can show`,
    },
    { wrong: { envFrom: [{}] }, says: `${C}.envFrom[0]: must have exactly one of configMapRef, secretRef` },
    {
      wrong: { volumeMounts: [{ name: 'gone', mountPath: '/a' }] },
      says: `${C}.volumeMounts[0].name: is not a volume of the pod`,
    },
    {
      wrong: { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      says: `${C}.resources.requests.cpu: must not be more than the limit`,
    },
    { wrong: { resources: { limits: { memory: '-1' } } }, says: `${C}.resources.limits.memory: must not be negative` },
    {
      wrong: { resources: { requests: { 'hugepages-2Mi': '2Mi' } } },
      says: `${C}.resources.limits[hugepages-2Mi]: is required beside the request`,
    },
    {
      wrong: { livenessProbe: {} },
      says: `${C}.livenessProbe: must have one of exec, httpGet, tcpSocket, grpc, sleep`,
    },
    {
      wrong: { livenessProbe: { exec: { command: ['a'] }, successThreshold: 2 } },
      says: `${C}.livenessProbe.successThreshold: must be 1`,
    },
    {
      wrong: { readinessProbe: { httpGet: { port: 0 } } },
      says: `${C}.readinessProbe.httpGet.port: must be between 1 and 65535`,
    },
    {
      wrong: { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      says: `${C}.lifecycle.preStop.sleep.seconds: must be between 0 and 30`,
    },
    {
      wrong: { restartPolicyRules: [{ action: 'Restart' }] },
      says: `${C}.restartPolicy: is required beside restartPolicyRules`,
    },
    {
      wrong: { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
      says: `${C}.securityContext.allowPrivilegeEscalation: must not be false for a privileged container`,
    },
    {
      wrong: { securityContext: { seccompProfile: { type: 'Localhost' } } },
      says: `${C}.securityContext.seccompProfile.localhostProfile: is required`,
    },
  ] satisfies { wrong: Partial<Container>; says: string }[])(
    'is rejected for its container: $says',
    ({ wrong, says }) => {
      expect(complaints(podWith({ container: wrong }))).toContain(says);
    },
  );

  it('has each container name once', () => {
    const pod = podWith({ spec: { initContainers: [{ name: 'c', image: 'i' }] } });
    expect(complaints(pod)).toEqual(['spec.containers[0].name: appears twice']);
  });

  it('probes no init container that is not a sidecar', () => {
    const pod = podWith({
      spec: { initContainers: [{ name: 'i', image: 'i', readinessProbe: { exec: { command: ['a'] } } }] },
    });
    expect(complaints(pod)).toEqual([
      'spec.initContainers[0].readinessProbe: cannot be set for an init container that is not a sidecar',
    ]);
  });

  it.each([
    { wrong: { mountPropagation: 'Bidirectional' }, says: 'mountPropagation: needs a privileged container' },
    { wrong: { subPath: '../x' }, says: 'subPath: must be relative and without ".."' },
    { wrong: { subPath: 'a', subPathExpr: 'b' }, says: 'subPathExpr: must not be set beside subPath' },
    { wrong: { recursiveReadOnly: 'Enabled' }, says: 'recursiveReadOnly: needs readOnly' },
  ] as const)('is rejected for a mount: $says', ({ wrong, says }) => {
    const pod = podWith({
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      container: { volumeMounts: [{ name: 'v', mountPath: '/v', ...wrong }] },
    });
    expect(complaints(pod)).toEqual([`${C}.volumeMounts[0].${says}`]);
  });
});
