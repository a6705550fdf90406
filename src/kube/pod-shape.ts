import { list, map, object } from './decode-shape.ts';
import type { Shape } from './decode-shape.ts';
import { fieldRef, resourceFieldRef, volumeShape } from './volume-shape.ts';

const keyOf = object({ name: 'string', key: 'string', optional: 'bool' });
const objectOf = object({ name: 'string', optional: 'bool' });

const env = object({
  name: 'string',
  value: 'string',
  valueFrom: object({
    fieldRef,
    resourceFieldRef,
    configMapKeyRef: keyOf,
    secretKeyRef: keyOf,
    fileKeyRef: object({ volumeName: 'string', path: 'string', key: 'string', optional: 'bool' }),
  }),
});

const exec = object({ command: list('string') });
const httpGet = object({
  path: 'string',
  port: 'int-or-string',
  host: 'string',
  scheme: 'string',
  httpHeaders: list(object({ name: 'string', value: 'string' })),
});
const tcpSocket = object({ port: 'int-or-string', host: 'string' });
const hook = object({ exec, httpGet, tcpSocket, sleep: object({ seconds: 'int' }) });
const probe = object({
  exec,
  httpGet,
  tcpSocket,
  grpc: object({ port: 'int', service: 'string' }),
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

const securityProfile = object({ type: 'string', localhostProfile: 'string' });
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
  ports: list(object({ name: 'string', hostPort: 'int', containerPort: 'int', protocol: 'string', hostIP: 'string' })),
  envFrom: list(object({ prefix: 'string', configMapRef: objectOf, secretRef: objectOf })),
  env: list(env),
  resources,
  resizePolicy: list(object({ resourceName: 'string', restartPolicy: 'string' })),
  restartPolicy: 'string',
  restartPolicyRules: list(
    object({ action: 'string', exitCodes: object({ operator: 'string', values: list('int') }) }),
  ),
  volumeMounts: list(
    object({
      name: 'string',
      readOnly: 'bool',
      recursiveReadOnly: 'string',
      mountPath: 'string',
      subPath: 'string',
      subPathExpr: 'string',
      mountPropagation: 'string',
    }),
  ),
  volumeDevices: list(object({ name: 'string', devicePath: 'string' })),
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
  sysctls: list(object({ name: 'string', value: 'string' })),
});

const toleration = object({
  key: 'string',
  operator: 'string',
  value: 'string',
  effect: 'string',
  tolerationSeconds: 'int',
});

const spec = object({
  volumes: list(volumeShape),
  initContainers: list(object(containerMembers)),
  containers: list(object(containerMembers)),
  ephemeralContainers: list(object({ ...containerMembers, targetContainerName: 'string' })),
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
  affinity: 'any',
  schedulerName: 'string',
  tolerations: list(toleration),
  hostAliases: list(object({ ip: 'string', hostnames: list('string') })),
  priorityClassName: 'string',
  priority: 'int',
  preemptionPolicy: 'string',
  dnsConfig: object({
    nameservers: list('string'),
    searches: list('string'),
    options: list(object({ name: 'string', value: 'string' })),
  }),
  readinessGates: list(object({ conditionType: 'string' })),
  runtimeClassName: 'string',
  enableServiceLinks: 'bool',
  overhead: map('quantity'),
  topologySpreadConstraints: list('any'),
  os: object({ name: 'string' }),
  schedulingGates: list(object({ name: 'string' })),
  resourceClaims: list('any'),
  resources,
});

/** core/v1 Pod as a user may write it. Its status is not read: what a pod is like is for the node to say. */
export const podShape: Shape = object({
  apiVersion: 'string',
  kind: 'string',
  metadata: object({
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
  }),
  spec,
});
