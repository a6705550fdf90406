import { existsSync, readFileSync } from 'node:fs';
import * as api from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

// Every field that the API has for a pod is either acted on, in the file named here, or left alone for a reason that is
// written down. A field that somebody adds to the API, and nobody here has thought of, fails.

type Decision = string | { readonly ignored: string };

const ignored = (why: string): Decision => ({ ignored: why });
const WINDOWS = ignored('of another operating system: such pods are rejected');
const SCHEDULER = ignored('decided before a pod has a node');
const DEVICE_CLAIMS = ignored('dynamic resources are not offered');
const NOT_OFFERED = ignored('a kind of volume that has left Kubernetes, or is mounted by no part of this agent');

const UNMOUNTED =
  'awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk gitRepo glusterfs iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume'.split(
    ' ',
  );

const container: Readonly<Record<string, Decision>> = {
  args: 'src/pod/container-config.ts',
  command: 'src/pod/container-config.ts',
  env: 'src/pod/env.ts',
  envFrom: 'src/pod/env.ts',
  image: 'src/pod/image-pull-decision.ts',
  imagePullPolicy: 'src/pod/image-pull-decision.ts',
  lifecycle: 'src/pod/stop-signal.ts',
  livenessProbe: 'actors/pod-worker/probes-of-pod.ts',
  name: 'src/pod/container-config.ts',
  ports: 'src/pod/sandbox-config.ts',
  readinessProbe: 'actors/pod-worker/probes-of-pod.ts',
  resizePolicy: 'src/pod/pod-resizes.ts',
  resources: 'src/pod/linux-resources.ts',
  restartPolicy: 'src/pod/should-restart.ts',
  restartPolicyRules: 'src/pod/should-restart.ts',
  securityContext: 'src/pod/security-context.ts',
  startupProbe: 'actors/pod-worker/probes-of-pod.ts',
  stdin: 'src/pod/container-config.ts',
  stdinOnce: 'src/pod/container-config.ts',
  terminationMessagePath: 'src/pod/mounts.ts',
  terminationMessagePolicy: 'actors/pod-worker/termination-message.ts',
  tty: 'src/pod/container-config.ts',
  volumeDevices: 'src/pod/container-config.ts',
  volumeMounts: 'src/pod/mounts.ts',
  workingDir: 'src/pod/container-config.ts',
};

const profile = { localhostProfile: 'src/pod/security-profiles.ts', type: 'src/pod/security-profiles.ts' };

const DECISIONS: Readonly<Record<string, Readonly<Record<string, Decision>>>> = {
  V1PodSpec: {
    activeDeadlineSeconds: 'src/pod/api-status.ts',
    affinity: 'src/node/node-affinity.ts',
    automountServiceAccountToken: ignored('the API server adds the volume, or does not'),
    containers: 'src/pod/compute-pod-actions.ts',
    dnsConfig: 'src/pod/dns.ts',
    dnsPolicy: 'src/pod/dns.ts',
    enableServiceLinks: 'src/pod/env.ts',
    ephemeralContainers: 'src/pod/compute-pod-actions.ts',
    hostAliases: 'actors/pod-worker/start-container.ts',
    hostIPC: 'src/pod/namespaces.ts',
    hostNetwork: 'src/pod/namespaces.ts',
    hostPID: 'src/pod/namespaces.ts',
    hostUsers: 'actors/pod-worker/user-namespace.ts',
    hostname: 'src/pod/hostname.ts',
    hostnameOverride: 'src/pod/hostname.ts',
    imagePullSecrets: 'actors/object-cache/client.ts',
    initContainers: 'src/pod/pod-actions.ts',
    nodeName: 'src/pod/pod-field.ts',
    nodeSelector: 'src/node/node-affinity.ts',
    os: 'src/node/admission.ts',
    overhead: 'src/pod/linux-resources.ts',
    preemptionPolicy: SCHEDULER,
    priority: 'src/kube/static-pod.ts',
    priorityClassName: 'src/kube/static-pod.ts',
    readinessGates: 'src/pod/conditions.ts',
    resourceClaims: DEVICE_CLAIMS,
    resources: 'src/kube/pod-resources.ts',
    restartPolicy: 'src/pod/should-restart.ts',
    runtimeClassName: 'actors/pod-worker/runtime-handler.ts',
    schedulerName: SCHEDULER,
    schedulingGates: SCHEDULER,
    schedulingGroup: SCHEDULER,
    securityContext: 'src/pod/security-context.ts',
    serviceAccount: ignored('the old name of serviceAccountName, which the API keeps equal'),
    serviceAccountName: 'src/pod/pod-field.ts',
    setHostnameAsFQDN: 'src/pod/hostname.ts',
    shareProcessNamespace: 'src/pod/namespaces.ts',
    subdomain: 'src/pod/hostname.ts',
    terminationGracePeriodSeconds: 'src/pod/grace-period.ts',
    tolerations: 'src/node/taints.ts',
    topologySpreadConstraints: SCHEDULER,
    volumes: 'src/volumes/plan-volumes.ts',
  },
  V1Container: container,
  V1EphemeralContainer: { ...container, targetContainerName: 'actors/pod-worker/start-container.ts' },
  V1PodSecurityContext: {
    appArmorProfile: 'src/pod/apparmor-spec.ts',
    fsGroup: 'src/pod/security-context.ts',
    fsGroupChangePolicy: 'src/volumes/volume-ownership.ts',
    runAsGroup: 'src/pod/security-context.ts',
    runAsNonRoot: 'src/pod/security-context.ts',
    runAsUser: 'src/pod/security-context.ts',
    seLinuxChangePolicy: ignored('content is always relabelled; mounting with a label is not offered'),
    seLinuxOptions: 'src/pod/security-context.ts',
    seccompProfile: 'src/pod/security-profiles.ts',
    supplementalGroups: 'src/pod/security-context.ts',
    supplementalGroupsPolicy: 'src/pod/security-context.ts',
    sysctls: 'src/pod/sandbox-config.ts',
    windowsOptions: WINDOWS,
  },
  V1SecurityContext: {
    allowPrivilegeEscalation: 'src/pod/security-context.ts',
    appArmorProfile: 'src/pod/apparmor-spec.ts',
    capabilities: 'src/pod/security-context.ts',
    privileged: 'src/pod/security-context.ts',
    procMount: 'src/pod/security-context.ts',
    readOnlyRootFilesystem: 'src/pod/security-context.ts',
    runAsGroup: 'src/pod/security-context.ts',
    runAsNonRoot: 'src/pod/security-context.ts',
    runAsUser: 'src/pod/security-context.ts',
    seLinuxOptions: 'src/pod/security-context.ts',
    seccompProfile: 'src/pod/security-profiles.ts',
    windowsOptions: WINDOWS,
  },
  V1Capabilities: { add: 'src/pod/security-context.ts', drop: 'src/pod/security-context.ts' },
  V1SELinuxOptions: {
    level: 'src/pod/security-context.ts',
    role: 'src/pod/security-context.ts',
    type: 'src/pod/security-context.ts',
    user: 'src/pod/security-context.ts',
  },
  V1SeccompProfile: profile,
  V1AppArmorProfile: profile,
  V1VolumeMount: {
    mountPath: 'src/pod/mounts.ts',
    mountPropagation: 'src/pod/mounts.ts',
    name: 'src/pod/mounts.ts',
    readOnly: 'src/pod/mounts.ts',
    recursiveReadOnly: 'src/pod/mounts.ts',
    subPath: 'src/pod/mounts.ts',
    subPathExpr: 'src/pod/mounts.ts',
  },
  V1VolumeDevice: { devicePath: 'src/pod/container-config.ts', name: 'src/pod/container-config.ts' },
  V1EnvVar: { name: 'src/pod/env.ts', value: 'src/pod/env.ts', valueFrom: 'src/pod/env.ts' },
  V1EnvVarSource: {
    configMapKeyRef: 'src/pod/env.ts',
    fieldRef: 'src/pod/env.ts',
    fileKeyRef: 'src/pod/env.ts',
    resourceFieldRef: 'src/pod/env.ts',
    secretKeyRef: 'src/pod/env.ts',
  },
  V1FileKeySelector: {
    key: 'src/pod/env.ts',
    optional: 'src/pod/env.ts',
    path: 'src/pod/env.ts',
    volumeName: 'src/pod/env.ts',
  },
  V1EnvFromSource: { configMapRef: 'src/pod/env.ts', prefix: 'src/pod/env.ts', secretRef: 'src/pod/env.ts' },
  V1ResourceFieldSelector: {
    containerName: 'src/pod/resource-field.ts',
    divisor: 'src/pod/resource-field.ts',
    resource: 'src/pod/resource-field.ts',
  },
  V1Lifecycle: {
    postStart: 'actors/pod-worker/post-start.ts',
    preStop: 'actors/pod-worker/pre-stop.ts',
    stopSignal: 'src/pod/stop-signal.ts',
  },
  V1LifecycleHandler: {
    exec: 'actors/pod-worker/run-hook.ts',
    httpGet: 'actors/pod-worker/run-hook.ts',
    sleep: 'actors/pod-worker/run-hook.ts',
    tcpSocket: 'src/pod/container-annotations.ts',
  },
  V1Probe: {
    exec: 'src/probing/probe-target.ts',
    failureThreshold: 'actors/probe-manager/state.ts',
    grpc: 'src/probing/probe-target.ts',
    httpGet: 'src/probing/probe-target.ts',
    initialDelaySeconds: 'actors/probe-manager/state.ts',
    periodSeconds: 'actors/probe-manager/state.ts',
    successThreshold: 'actors/probe-manager/state.ts',
    tcpSocket: 'src/probing/probe-target.ts',
    terminationGracePeriodSeconds: 'src/pod/grace-period.ts',
    timeoutSeconds: 'src/probing/run-probe.ts',
  },
  V1HTTPGetAction: {
    host: 'src/probing/probe-target.ts',
    httpHeaders: 'src/probing/probe-target.ts',
    path: 'src/probing/probe-target.ts',
    port: 'src/probing/probe-target.ts',
    scheme: 'src/probing/probe-target.ts',
  },
  V1ContainerPort: {
    containerPort: 'src/pod/sandbox-config.ts',
    hostIP: 'src/pod/sandbox-config.ts',
    hostPort: 'src/pod/sandbox-config.ts',
    name: 'src/pod/sandbox-config.ts',
    protocol: 'src/pod/sandbox-config.ts',
  },
  V1PodDNSConfig: {
    nameservers: 'src/pod/dns.ts',
    options: 'src/pod/dns.ts',
    searches: 'src/pod/dns.ts',
  },
  V1HostAlias: { hostnames: 'src/pod/hosts-file.ts', ip: 'src/pod/hosts-file.ts' },
  V1ResourceRequirements: {
    claims: DEVICE_CLAIMS,
    limits: 'src/pod/linux-resources.ts',
    requests: 'src/pod/linux-resources.ts',
  },
  V1ContainerRestartRule: { action: 'src/pod/should-restart.ts', exitCodes: 'src/pod/should-restart.ts' },
  V1ImageVolumeSource: {
    pullPolicy: 'actors/pod-worker/image-volumes.ts',
    reference: 'actors/pod-worker/image-volumes.ts',
  },
  V1Volume: {
    configMap: 'src/volumes/plan-files.ts',
    csi: 'src/volumes/plan-volumes.ts',
    downwardAPI: 'src/volumes/plan-files.ts',
    emptyDir: 'src/volumes/plan-volumes.ts',
    ephemeral: 'src/csi/resolve-claim.ts',
    hostPath: 'src/volumes/plan-volumes.ts',
    image: 'actors/pod-worker/image-volumes.ts',
    name: 'src/volumes/plan-volumes.ts',
    persistentVolumeClaim: 'src/volumes/plan-volumes.ts',
    projected: 'src/volumes/plan-files.ts',
    secret: 'src/volumes/plan-files.ts',
    ...Object.fromEntries(UNMOUNTED.map((kind) => [kind, NOT_OFFERED])),
  },
};

interface Model {
  readonly getAttributeTypeMap: () => readonly { readonly baseName: string }[];
}

const fieldsOf = (type: string): readonly string[] =>
  (api as unknown as Readonly<Record<string, Model>>)[type]?.getAttributeTypeMap().map(({ baseName }) => baseName) ??
  [];

const placeOf = (file: string): URL => new URL(`../../${file}`, import.meta.url);

describe.each(Object.entries(DECISIONS))('each field of %s', (type, decisions) => {
  it('is decided about', () => {
    expect(Object.keys(decisions).toSorted()).toStrictEqual(fieldsOf(type).toSorted());
  });

  const acted = Object.entries(decisions).flatMap(([field, where]) =>
    typeof where === 'string' ? [[field, where] as const] : [],
  );
  it.each(acted)('that is acted on is named where that is said to happen: %s in %s', (field, file) => {
    expect(existsSync(placeOf(file))).toBe(true);
    expect(readFileSync(placeOf(file), 'utf8')).toMatch(new RegExp(String.raw`\b${field}\b`));
  });
});
