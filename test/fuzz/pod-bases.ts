import type { Recipe } from './recipe.ts';

type Fields = { readonly [key: string]: Recipe };

const probe = { httpGet: { path: '/', port: 'web', httpHeaders: [{ name: 'a', value: 'b' }] }, periodSeconds: 10 };

const container: Fields = {
  name: 'main',
  image: 'registry.example/web:1',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', 'echo $(GREETING)'],
  args: ['$(NODE)'],
  workingDir: '/srv',
  ports: [{ name: 'web', containerPort: 80, hostPort: 8080, protocol: 'TCP', hostIP: '127.0.0.1' }],
  env: [
    { name: 'GREETING', value: 'hello $(NODE)' },
    { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
    { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
  ],
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '100m', memory: '64Mi' } },
  volumeMounts: [
    { name: 'scratch', mountPath: '/scratch', subPath: 'a/b' },
    { name: 'words', mountPath: '/words', readOnly: true },
  ],
  livenessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 1, failureThreshold: 3 },
  readinessProbe: probe,
  startupProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
  lifecycle: { postStart: { exec: { command: ['true'] } }, preStop: { sleep: { seconds: 1 } } },
  securityContext: {
    runAsUser: 1000,
    capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/a.json' },
    appArmorProfile: { type: 'RuntimeDefault' },
    seLinuxOptions: { level: 's0' },
  },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

const volumes: readonly Recipe[] = [
  { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'words', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
];

const spec: Fields = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 1,
  activeDeadlineSeconds: 600,
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  hostname: 'web',
  subdomain: 'sub',
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['192.0.2.1'], searches: ['a.example'], options: [{ name: 'ndots', value: '2' }] },
  hostAliases: [{ ip: '192.0.2.2', hostnames: ['a', 'b'] }],
  priority: 0,
  enableServiceLinks: true,
  automountServiceAccountToken: false,
  shareProcessNamespace: false,
  securityContext: {
    fsGroup: 5,
    supplementalGroups: [6],
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }],
    fsGroupChangePolicy: 'OnRootMismatch',
  },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] }],
      },
    },
  },
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway' }],
  readinessGates: [{ conditionType: 'a.example/ready' }],
  overhead: { cpu: '10m' },
  initContainers: [
    { name: 'init', image: 'registry.example/init:1', command: ['true'] },
    { name: 'side', image: 'registry.example/side:1', restartPolicy: 'Always' },
  ],
  containers: [container, { name: 'second', image: 'registry.example/second@sha256:' + 'a'.repeat(64) }],
  volumes,
};

const metadata = (name: string): Fields => ({
  name,
  namespace: 'hostile',
  labels: { app: 'web' },
  annotations: { 'example.com/note': 'a' },
});

/** Pods of manifests, with all fields that the agent reads. */
export const manifestBases: Readonly<Record<string, Recipe>> = {
  full: { apiVersion: 'v1', kind: 'Pod', metadata: metadata('full'), spec },
  small: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'small', namespace: 'hostile' },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'registry.example/web:1' }],
      volumes: [],
    },
  },
};

/** The UID of every hostile pod of the API. */
export const HOSTILE_UID = '0badf00d-0000-4000-8000-000000000001';

const bound = (nodeName: string): Fields => ({ nodeName, schedulerName: 'default-scheduler', serviceAccountName: 'a' });

const apiMetadata = (name: string): Fields => ({
  ...metadata(name),
  uid: HOSTILE_UID,
  resourceVersion: '900000',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  ownerReferences: [{ apiVersion: 'v1', kind: 'ReplicaSet', name: 'a', uid: 'b', controller: true }],
});

/** Pods of the API server, bound to a node. */
export const apiPodBases = (nodeName: string): Readonly<Record<string, Recipe>> => ({
  full: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: apiMetadata('full'),
    spec: { ...spec, ...bound(nodeName) },
    status: {
      phase: 'Pending',
      qosClass: 'Burstable',
      startTime: '2026-01-01T00:00:00Z',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  },
  objects: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: apiMetadata('objects'),
    spec: {
      ...bound(nodeName),
      terminationGracePeriodSeconds: 0,
      imagePullSecrets: [{ name: 'login' }],
      containers: [
        {
          name: 'main',
          image: 'registry.example/web:1',
          env: [
            { name: 'A', valueFrom: { configMapKeyRef: { name: 'words', key: 'a', optional: true } } },
            { name: 'B', valueFrom: { secretKeyRef: { name: 'secrets', key: 'b', optional: true } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'words', optional: true } }],
          volumeMounts: [{ name: 'all', mountPath: '/all' }],
        },
      ],
      volumes: [
        {
          name: 'all',
          projected: {
            defaultMode: 420,
            sources: [
              { configMap: { name: 'words', optional: true, items: [{ key: 'a', path: 'b/c', mode: 256 }] } },
              { secret: { name: 'secrets', optional: true } },
              { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
            ],
          },
        },
        { name: 'words', configMap: { name: 'words', optional: true } },
        { name: 'secrets', secret: { secretName: 'secrets', optional: true } },
      ],
    },
  },
  small: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: apiMetadata('small'),
    spec: {
      ...bound(nodeName),
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'registry.example/web:1' }],
      volumes: [],
    },
  },
});
