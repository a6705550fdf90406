/** Objects with many fields of each kind that the agent reads, as a real API server accepts them. */
interface RichObject {
  readonly resource: string;
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;
  /** Written after the object has been created. */
  readonly status?: object;
}

const NAME = 'rich';
const AT = '2026-01-01T00:00:05Z';
const resources = { limits: { memory: '256Mi', cpu: '1500m' }, requests: { cpu: '100m', memory: '128Mi' } };
const metadata = {
  name: NAME,
  labels: { app: 'web', 'app.kubernetes.io/name': 'x', constructor: 'c' },
  annotations: { constructor: 'a', 'example.com/text': 'line\nand “quotes” – 日本語 🎈', 'example.com/empty': '' },
  finalizers: ['example.com/one'],
  ownerReferences: [
    { apiVersion: 'v1', kind: 'Node', name: 'owner', uid: '0f8c2d1e-0000-4c3b-9a7e-000000000001', controller: true },
  ],
};
const probe = { timeoutSeconds: 2, periodSeconds: 5, failureThreshold: 4, initialDelaySeconds: 1 };

const container = {
  name: 'main',
  image: 'app:1',
  command: ['/bin/app', ''],
  args: ['--a=b'],
  workingDir: '/tmp',
  ports: [{ name: 'http', containerPort: 80, hostPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'FIELD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'RESOURCE', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
    { name: 'WHOLE', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: false } } },
    { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'c', optional: true } }, { secretRef: { name: 's' } }],
  resources,
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app', readOnly: true, subPath: 'a' },
    { name: 'host', mountPath: '/host', mountPropagation: 'HostToContainer' },
  ],
  livenessProbe: {
    ...probe,
    httpGet: { path: '/a', port: 'http', scheme: 'HTTPS', httpHeaders: [{ name: 'X', value: 'y' }] },
    terminationGracePeriodSeconds: 10,
  },
  readinessProbe: { ...probe, tcpSocket: { port: 80 } },
  startupProbe: { ...probe, grpc: { port: 9090, service: '' } },
  lifecycle: { postStart: { exec: { command: ['true'] } }, preStop: { sleep: { seconds: 3 } } },
  terminationMessagePath: '/dev/log',
  terminationMessagePolicy: 'FallbackToLogsOnError',
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    runAsUser: 0,
    runAsGroup: 1_000,
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' },
    procMount: 'Default',
  },
  stdin: true,
  tty: true,
};

const podSpec = {
  nodeName: 'node-1',
  containers: [container],
  initContainers: [{ name: 'side', image: 'side:1', restartPolicy: 'Always' }],
  volumes: [
    { name: 'config', configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 256 }], defaultMode: 420 } },
    { name: 'host', hostPath: { path: '/var', type: '' } },
    { name: 'cache', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'plain', emptyDir: {} },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c', readOnly: true } },
    { name: 'inline', csi: { driver: 'd.example.com', readOnly: true, volumeAttributes: { a: 'b' } } },
    {
      name: 'all',
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { audience: 'a', expirationSeconds: 3607, path: 'token' } },
          { downwardAPI: { items: [{ path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }] } },
          { secret: { name: 's', optional: true } },
        ],
      },
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  activeDeadlineSeconds: 600,
  dnsPolicy: 'None',
  dnsConfig: {
    nameservers: ['10.0.0.10'],
    searches: ['a.b'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  },
  nodeSelector: { a: 'b' },
  serviceAccountName: 'rich',
  automountServiceAccountToken: false,
  securityContext: {
    runAsNonRoot: false,
    fsGroup: 2_000,
    supplementalGroups: [1, 2, 4_000_000],
    fsGroupChangePolicy: 'OnRootMismatch',
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }],
  },
  imagePullSecrets: [{ name: 'p' }],
  hostname: 'h',
  subdomain: 's',
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
      ],
    },
  },
  schedulerName: 'none',
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }],
  readinessGates: [{ conditionType: 'example.com/gate' }],
  enableServiceLinks: false,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { a: 'b' } },
    },
  ],
  setHostnameAsFQDN: false,
  os: { name: 'linux' },
};

const podStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', reason: 'R', message: 'm', lastTransitionTime: AT }],
  hostIP: '10.0.0.1',
  hostIPs: [{ ip: '10.0.0.1' }],
  podIP: '10.1.0.1',
  podIPs: [{ ip: '10.1.0.1' }, { ip: 'fd00::1' }],
  startTime: AT,
  initContainerStatuses: [
    {
      name: 'side',
      image: 'side:1',
      imageID: 'i',
      ready: true,
      restartCount: 0,
      started: true,
      state: {},
      lastState: {},
    },
  ],
  containerStatuses: [
    {
      name: 'main',
      image: 'app:1',
      imageID: 'app@sha256:1',
      containerID: 'containerd://1',
      ready: false,
      started: false,
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
      lastState: {
        terminated: {
          exitCode: 137,
          signal: 9,
          reason: 'OOMKilled',
          startedAt: AT,
          finishedAt: AT,
          containerID: 'containerd://0',
        },
      },
      resources,
      allocatedResources: { cpu: '100m' },
    },
  ],
};

const core = '/api/v1';
const inDefault = `${core}/namespaces/default`;
const storage = '/apis/storage.k8s.io/v1';
const of = (apiVersion: string, kind: string, members: object = {}) => ({ apiVersion, kind, metadata, ...members });

export const richObjects: readonly RichObject[] = [
  {
    resource: 'serviceaccounts',
    path: `${inDefault}/serviceaccounts`,
    object: of('v1', 'ServiceAccount', {
      secrets: [{ name: 's' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    }),
  },
  { resource: 'pods', path: `${inDefault}/pods`, object: of('v1', 'Pod', { spec: podSpec }), status: podStatus },
  {
    resource: 'nodes',
    path: `${core}/nodes`,
    object: of('v1', 'Node', {
      spec: {
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
        providerID: 'p://1',
        unschedulable: true,
        taints: [{ key: 'a', value: 'b', effect: 'NoExecute', timeAdded: AT }],
      },
    }),
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '2' },
      allocatable: { cpu: '3900m' },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastHeartbeatTime: AT, lastTransitionTime: AT },
      ],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      nodeInfo: {
        machineID: 'm',
        systemUUID: 's',
        bootID: 'b',
        kernelVersion: '6',
        osImage: 'o',
        containerRuntimeVersion: 'c',
        kubeletVersion: 'v1.36.2',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      images: [{ names: ['a@sha256:1', 'a:1'], sizeBytes: 5_000_000_000 }],
      volumesInUse: ['kubernetes.io/csi/d^v'],
      volumesAttached: [{ name: 'kubernetes.io/csi/d^v', devicePath: '' }],
      runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: false } }],
    },
  },
  {
    resource: 'services',
    path: `${inDefault}/services`,
    object: of('v1', 'Service', {
      spec: {
        clusterIP: 'None',
        selector: { app: 'web' },
        ports: [
          { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
          { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5_353 },
        ],
        publishNotReadyAddresses: true,
      },
    }),
  },
  {
    resource: 'configmaps',
    path: `${inDefault}/configmaps`,
    object: of('v1', 'ConfigMap', {
      data: { ...JSON.parse('{"__proto__":"p"}'), constructor: 'c', toString: '', text: 'ä\n'.repeat(500) },
      binaryData: { bytes: Buffer.from([0, 255, 128, 10]).toString('base64') },
      immutable: true,
    }),
  },
  {
    resource: 'secrets',
    path: `${inDefault}/secrets`,
    object: of('v1', 'Secret', {
      type: 'example.com/kind',
      data: { ...JSON.parse('{"__proto__":"cA=="}'), empty: '', bytes: Buffer.from([0, 255]).toString('base64') },
      immutable: false,
    }),
  },
  {
    resource: 'persistentvolumes',
    path: `${core}/persistentvolumes`,
    object: of('v1', 'PersistentVolume', {
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Block',
        mountOptions: ['noatime'],
        claimRef: { namespace: 'default', name: 'c' },
        csi: {
          driver: 'd.example.com',
          volumeHandle: 'h',
          fsType: 'ext4',
          volumeAttributes: { a: 'b' },
          nodeStageSecretRef: { name: 's', namespace: 'n' },
        },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'z', operator: 'In', values: ['a'] }] }] },
        },
      },
    }),
    status: { phase: 'Bound' },
  },
  {
    resource: 'persistentvolumeclaims',
    path: `${inDefault}/persistentvolumeclaims`,
    object: of('v1', 'PersistentVolumeClaim', {
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        volumeName: 'rich',
        storageClassName: '',
        resources: { requests: { storage: '5Gi' } },
      },
    }),
    status: {
      phase: 'Bound',
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      conditions: [{ type: 'Resizing', status: 'True', lastTransitionTime: AT }],
    },
  },
  {
    resource: 'leases',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    object: of('coordination.k8s.io/v1', 'Lease', {
      spec: {
        holderIdentity: 'node-1',
        leaseDurationSeconds: 40,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.123456Z',
        leaseTransitions: 0,
      },
    }),
  },
  {
    resource: 'runtimeclasses',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    object: of('node.k8s.io/v1', 'RuntimeClass', {
      handler: 'runsc',
      overhead: { podFixed: { cpu: '50m', memory: '10Mi' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] },
    }),
  },
  {
    resource: 'csinodes',
    path: `${storage}/csinodes`,
    object: of('storage.k8s.io/v1', 'CSINode', {
      spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 0 } }] },
    }),
  },
  {
    resource: 'csidrivers',
    path: `${storage}/csidrivers`,
    object: of('storage.k8s.io/v1', 'CSIDriver', {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        requiresRepublish: true,
        tokenRequests: [{ audience: '', expirationSeconds: 3_600 }],
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        storageCapacity: false,
        seLinuxMount: false,
      },
    }),
  },
  {
    resource: 'volumeattachments',
    path: `${storage}/volumeattachments`,
    object: of('storage.k8s.io/v1', 'VolumeAttachment', {
      spec: { attacher: 'd.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'rich' } },
    }),
    status: { attached: true, attachmentMetadata: { device: '/dev/a' }, detachError: { time: AT, message: 'm' } },
  },
];
