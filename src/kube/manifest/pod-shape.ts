import { list, map, object } from './decode-shape.ts';
import { podStatusShape } from './pod-status-shape.ts';
import { fieldRef, resourceFieldRef, volumeShape } from './volume-shape.ts';

const keyOf = object({ name: 'string', key: 'string', optional: 'bool' }, ['key']);
const objectOf = object({ name: 'string', optional: 'bool' });

const env = object(
  {
    name: 'string',
    value: 'string',
    valueFrom: object({
      fieldRef,
      resourceFieldRef,
      configMapKeyRef: keyOf,
      secretKeyRef: keyOf,
      fileKeyRef: object({ volumeName: 'string', path: 'string', key: 'string', optional: 'bool' }, [
        'volumeName',
        'path',
        'key',
      ]),
    }),
  },
  ['name'],
);

const exec = object({ command: list('string') });
const httpGet = object(
  {
    path: 'string',
    port: 'int-or-string',
    host: 'string',
    scheme: 'string',
    httpHeaders: list(object({ name: 'string', value: 'string' }, ['name'])),
  },
  ['port'],
);
const tcpSocket = object({ port: 'int-or-string', host: 'string' }, ['port']);
const hook = object({ exec, httpGet, tcpSocket, sleep: object({ seconds: 'int' }) });
const probe = object({
  exec,
  httpGet,
  tcpSocket,
  grpc: object({ port: 'int', service: 'string' }, ['port']),
  initialDelaySeconds: 'int',
  timeoutSeconds: 'int',
  periodSeconds: 'int',
  successThreshold: 'int',
  failureThreshold: 'int',
  terminationGracePeriodSeconds: 'int',
});

const resources = object({
  limits: map('quantity'),
  requests: map('quantity'),
  claims: list(object({ name: 'string', request: 'string' })),
});

const securityProfile = object({ type: 'string', localhostProfile: 'string' }, ['type']);
const seLinuxOptions = object({ user: 'string', role: 'string', type: 'string', level: 'string' });
const sharedSecurity = {
  seLinuxOptions,
  runAsUser: 'int',
  runAsGroup: 'int',
  runAsNonRoot: 'bool',
  seccompProfile: securityProfile,
  appArmorProfile: securityProfile,
  windowsOptions: 'any',
} as const;

const containerMembers = {
  name: 'string',
  image: 'string',
  command: list('string'),
  args: list('string'),
  workingDir: 'string',
  ports: list(
    object({ name: 'string', hostPort: 'int', containerPort: 'int', protocol: 'string', hostIP: 'string' }, [
      'containerPort',
    ]),
  ),
  envFrom: list(object({ prefix: 'string', configMapRef: objectOf, secretRef: objectOf })),
  env: list(env),
  resources,
  resizePolicy: list(object({ resourceName: 'string', restartPolicy: 'string' }, ['resourceName'])),
  restartPolicy: 'string',
  restartPolicyRules: list(
    object({ action: 'string', exitCodes: object({ operator: 'string', values: list('int') }) }),
  ),
  volumeMounts: list(
    object(
      {
        name: 'string',
        readOnly: 'bool',
        recursiveReadOnly: 'string',
        mountPath: 'string',
        subPath: 'string',
        subPathExpr: 'string',
        mountPropagation: 'string',
      },
      ['name', 'mountPath'],
    ),
  ),
  volumeDevices: list(object({ name: 'string', devicePath: 'string' }, ['name', 'devicePath'])),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: object({ postStart: hook, preStop: hook, stopSignal: 'string' }),
  terminationMessagePath: 'string',
  terminationMessagePolicy: 'string',
  imagePullPolicy: 'string',
  securityContext: object({
    ...sharedSecurity,
    capabilities: object({ add: list('string'), drop: list('string') }),
    privileged: 'bool',
    allowPrivilegeEscalation: 'bool',
    readOnlyRootFilesystem: 'bool',
    procMount: 'string',
  }),
  stdin: 'bool',
  stdinOnce: 'bool',
  tty: 'bool',
} as const;

const podSecurity = object({
  ...sharedSecurity,
  supplementalGroups: list('int'),
  supplementalGroupsPolicy: 'string',
  fsGroup: 'int',
  fsGroupChangePolicy: 'string',
  seLinuxChangePolicy: 'string',
  sysctls: list(object({ name: 'string', value: 'string' }, ['name'])),
});

const toleration = object({
  key: 'string',
  operator: 'string',
  value: 'string',
  effect: 'string',
  tolerationSeconds: 'int',
});

const requirements = list(object({ key: 'string', operator: 'string', values: list('string') }));
const nodeTerm = object({ matchExpressions: requirements, matchFields: requirements });
/** A node only reads the required node affinity; the rest is for the scheduler. */
const affinity = object({
  nodeAffinity: object({
    requiredDuringSchedulingIgnoredDuringExecution: object({ nodeSelectorTerms: list(nodeTerm) }),
    preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: 'int', preference: nodeTerm })),
  }),
  podAffinity: 'any',
  podAntiAffinity: 'any',
});

const spec = object(
  {
    volumes: list(volumeShape),
    initContainers: list(object(containerMembers, ['name'])),
    containers: list(object(containerMembers, ['name'])),
    ephemeralContainers: list(object({ ...containerMembers, targetContainerName: 'string' }, ['name'])),
    restartPolicy: 'string',
    terminationGracePeriodSeconds: 'int',
    activeDeadlineSeconds: 'int',
    dnsPolicy: 'string',
    nodeSelector: map('string'),
    serviceAccountName: 'string',
    serviceAccount: 'string',
    automountServiceAccountToken: 'bool',
    nodeName: 'string',
    hostNetwork: 'bool',
    hostPID: 'bool',
    hostIPC: 'bool',
    hostUsers: 'bool',
    shareProcessNamespace: 'bool',
    securityContext: podSecurity,
    imagePullSecrets: list(object({ name: 'string' })),
    hostname: 'string',
    hostnameOverride: 'string',
    subdomain: 'string',
    setHostnameAsFQDN: 'bool',
    affinity,
    schedulerName: 'string',
    tolerations: list(toleration),
    hostAliases: list(object({ ip: 'string', hostnames: list('string') }, ['ip'])),
    priorityClassName: 'string',
    priority: 'int',
    preemptionPolicy: 'string',
    dnsConfig: object({
      nameservers: list('string'),
      searches: list('string'),
      options: list(object({ name: 'string', value: 'string' })),
    }),
    readinessGates: list(object({ conditionType: 'string' }, ['conditionType'])),
    runtimeClassName: 'string',
    enableServiceLinks: 'bool',
    overhead: map('quantity'),
    topologySpreadConstraints: list('any'),
    os: object({ name: 'string' }),
    schedulingGates: list(object({ name: 'string' })),
    resourceClaims: list('any'),
    resources,
  },
  ['containers'],
);

const metadata = object(
  {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    uid: 'string',
    generation: 'int',
    resourceVersion: 'string',
    creationTimestamp: 'string',
    deletionTimestamp: 'string',
    deletionGracePeriodSeconds: 'int',
    labels: map('string'),
    annotations: map('string'),
    finalizers: list('string'),
    ownerReferences: list('any'),
  },
  ['name', 'namespace', 'uid'],
);

/** core/v1 Pod as a user may write it. Its status is not read, because the node decides a pod's status. */
export const podShape = object({ apiVersion: 'string', kind: 'string', metadata, spec });

const apiMembers = { apiVersion: 'string', kind: 'string', metadata, status: podStatusShape } as const;

/** core/v1 Pod as an API server sends it. */
export const apiPodShape = object({ ...apiMembers, spec }, ['metadata', 'spec']);
/** The same, for a pod whose spec was checked before. */
export const apiPodShapeWithoutSpec = object(apiMembers, ['metadata']);
