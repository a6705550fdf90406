/**
 * A running pod of a deployment as an API server writes it, with what admission, scheduler, controllers and this agent add to
 * it. Twenty templates; names, UIDs, addresses and times are its own.
 */
export function writtenPod(index: number): object {
  const template = index % 20;
  const app = `service-${template}`;
  const hash = `7d9f8c6b${(template * 7919).toString(16)}`;
  const name = `${app}-${hash}-${(index * 2_654_435_761).toString(36).slice(-5)}`;
  const at = `2026-01-01T0${index % 10}:${String(index % 60).padStart(2, '0')}:00Z`;
  const token = `kube-api-access-${(index * 40_503).toString(36).slice(-5)}`;
  const image = `registry.example.com/team-${template % 4}/${app}:v1.${template}.3`;
  const containers = ['main', 'proxy'].map((container) => writtenContainer(container, { image, token, template }));
  return {
    metadata: {
      name,
      generateName: `${app}-${hash}-`,
      namespace: `team-${template % 4}`,
      uid: `0f8c2d1e-${String(index).padStart(4, '0')}-4c3b-9a7e-${String(index).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + index),
      generation: 1,
      creationTimestamp: at,
      labels: {
        app,
        'pod-template-hash': hash,
        'app.kubernetes.io/name': app,
        tier: 'backend',
        version: `v1.${template}`,
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9090',
        'example.com/checksum': hash.repeat(4),
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-${hash}`,
          uid: `rs-${template}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: ['kube-controller-manager', 'hivelet'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time: at,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {}, 'f:version': {} } },
          'f:spec': {
            'f:containers': Object.fromEntries(containers.map(({ name }) => [`k:{"name":"${name}"}`, writtenFields()])),
          },
        },
      })),
    },
    spec: {
      nodeName: 'node-1',
      containers,
      volumes: [
        { name: 'config', configMap: { name: `${app}-config`, defaultMode: 420 } },
        { name: 'cache', emptyDir: {} },
        {
          name: token,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
          },
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: app,
      serviceAccount: app,
      securityContext: { runAsNonRoot: true, fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' } },
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app } },
        },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: at,
          observedGeneration: 1,
        }),
      ),
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      podIP: `10.244.${index >> 8}.${index & 255}`,
      podIPs: [{ ip: `10.244.${index >> 8}.${index & 255}` }],
      startTime: at,
      qosClass: 'Burstable',
      containerStatuses: containers.map(({ name: container }) => ({
        name: container,
        state: { running: { startedAt: at } },
        lastState: {},
        ready: true,
        started: true,
        restartCount: 0,
        image,
        imageID: `${image.split(':', 1)[0]}@sha256:${hash.repeat(7).slice(0, 64)}`,
        containerID: `containerd://${String(index).padStart(32, 'a')}${container.padEnd(32, '0')}`,
        resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
      })),
    },
  };
}

function writtenContainer(
  name: string,
  { image, token, template }: { image: string; token: string; template: number },
) {
  const probe = {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    failureThreshold: 3,
  };
  return {
    name,
    image,
    command: ['/bin/app'],
    args: [`--level=${template}`, '--listen=:8080'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'LOG_LEVEL', valueFrom: { configMapKeyRef: { name: `service-${template}-config`, key: 'level' } } },
      { name: 'REGION', value: 'eu-north-1' },
    ],
    resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app' },
      { name: 'cache', mountPath: '/var/cache/app' },
      { name: token, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ],
    livenessProbe: probe,
    readinessProbe: { ...probe, periodSeconds: 5 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}

const writtenFields = (): object =>
  Object.fromEntries(
    [
      '.',
      'f:args',
      'f:command',
      'f:env',
      'f:image',
      'f:imagePullPolicy',
      'f:livenessProbe',
      'f:name',
      'f:ports',
      'f:resources',
      'f:volumeMounts',
    ].map((field) => [field, {}]),
  );
