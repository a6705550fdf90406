import { existsSync, readFileSync } from 'node:fs';
import * as api from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

// Every field of the Pod API is either implemented, in the file named here, or ignored for a reason that is
// written down. A new field of the API fails this test until it has one or the other.

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
  args: 'src/pod/cri-config/container-config.ts',
  command: 'src/pod/cri-config/container-config.ts',
  env: 'src/pod/cri-config/env.ts',
  envFrom: 'src/pod/cri-config/env.ts',
  image: 'src/pod/image/image-pull-decision.ts',
  imagePullPolicy: 'src/pod/image/image-pull-decision.ts',
  lifecycle: 'src/pod/cri-config/stop-signal.ts',
  livenessProbe: 'actors/pod-worker/decide/probes-of-pod.ts',
  name: 'src/pod/cri-config/container-config.ts',
  ports: 'src/pod/cri-config/sandbox-config.ts',
  readinessProbe: 'actors/pod-worker/decide/probes-of-pod.ts',
  resizePolicy: 'src/pod/sync/pod-resizes.ts',
  resources: 'src/pod/cri-config/linux-resources.ts',
  restartPolicy: 'src/pod/sync/should-restart.ts',
  restartPolicyRules: 'src/pod/sync/should-restart.ts',
  securityContext: 'src/pod/cri-config/security-context.ts',
  startupProbe: 'actors/pod-worker/decide/probes-of-pod.ts',
  stdin: 'src/pod/cri-config/container-config.ts',
  stdinOnce: 'src/pod/cri-config/container-config.ts',
  terminationMessagePath: 'src/pod/cri-config/mounts.ts',
  terminationMessagePolicy: 'src/pod/values/container-annotations.ts',
  tty: 'src/pod/cri-config/container-config.ts',
  volumeDevices: 'src/pod/cri-config/container-config.ts',
  volumeMounts: 'src/pod/cri-config/mounts.ts',
  workingDir: 'src/pod/cri-config/container-config.ts',
};

const profile = {
  localhostProfile: 'src/pod/cri-config/security-profiles.ts',
  type: 'src/pod/cri-config/security-profiles.ts',
};

const DECISIONS: Readonly<Record<string, Readonly<Record<string, Decision>>>> = {
  V1PodSpec: {
    activeDeadlineSeconds: 'src/pod/status/api-status.ts',
    affinity: 'src/node/admission/node-affinity.ts',
    automountServiceAccountToken: ignored('the API server adds the volume, or does not'),
    containers: 'src/pod/sync/compute-pod-actions.ts',
    dnsConfig: 'src/pod/cri-config/dns.ts',
    dnsPolicy: 'src/pod/cri-config/dns.ts',
    enableServiceLinks: 'src/pod/cri-config/env.ts',
    ephemeralContainers: 'src/pod/sync/compute-pod-actions.ts',
    hostAliases: 'actors/pod-worker/act/container-files.ts',
    hostIPC: 'src/pod/cri-config/namespaces.ts',
    hostNetwork: 'src/pod/cri-config/namespaces.ts',
    hostPID: 'src/pod/cri-config/namespaces.ts',
    hostUsers: 'src/pod/sync/user-namespace.ts',
    hostname: 'src/pod/cri-config/hostname.ts',
    hostnameOverride: 'src/pod/cri-config/hostname.ts',
    imagePullSecrets: 'actors/object-cache/client.ts',
    initContainers: 'src/pod/sync/pod-actions.ts',
    nodeName: 'src/pod/cri-config/pod-field.ts',
    nodeSelector: 'src/node/admission/node-affinity.ts',
    os: 'src/node/admission/admission.ts',
    overhead: 'src/pod/cri-config/linux-resources.ts',
    preemptionPolicy: SCHEDULER,
    priority: 'src/kube/manifest/static-pod.ts',
    priorityClassName: 'src/kube/manifest/static-pod.ts',
    readinessGates: 'src/pod/status/conditions.ts',
    resourceClaims: DEVICE_CLAIMS,
    resources: 'src/kube/pod-resources.ts',
    restartPolicy: 'src/pod/sync/should-restart.ts',
    runtimeClassName: 'actors/pod-worker/act/runtime-class.ts',
    schedulerName: SCHEDULER,
    schedulingGates: SCHEDULER,
    schedulingGroup: SCHEDULER,
    securityContext: 'src/pod/cri-config/security-context.ts',
    serviceAccount: ignored('the old name of serviceAccountName, which the API keeps equal'),
    serviceAccountName: 'src/pod/cri-config/pod-field.ts',
    setHostnameAsFQDN: 'src/pod/cri-config/hostname.ts',
    shareProcessNamespace: 'src/pod/cri-config/namespaces.ts',
    subdomain: 'src/pod/cri-config/hostname.ts',
    terminationGracePeriodSeconds: 'src/pod/sync/grace-period.ts',
    tolerations: 'src/node/admission/taints.ts',
    topologySpreadConstraints: SCHEDULER,
    volumes: 'src/volumes/plan/plan-volumes.ts',
  },
  V1Container: container,
  V1EphemeralContainer: { ...container, targetContainerName: 'actors/pod-worker/act/create-container.ts' },
  V1PodSecurityContext: {
    appArmorProfile: 'src/pod/values/apparmor-spec.ts',
    fsGroup: 'src/pod/cri-config/security-context.ts',
    fsGroupChangePolicy: 'src/volumes/disk/volume-ownership.ts',
    runAsGroup: 'src/pod/cri-config/security-context.ts',
    runAsNonRoot: 'src/pod/cri-config/security-context.ts',
    runAsUser: 'src/pod/cri-config/security-context.ts',
    seLinuxChangePolicy: ignored('content is always relabelled; mounting with a label is not offered'),
    seLinuxOptions: 'src/pod/cri-config/security-context.ts',
    seccompProfile: 'src/pod/cri-config/security-profiles.ts',
    supplementalGroups: 'src/pod/cri-config/security-context.ts',
    supplementalGroupsPolicy: 'src/pod/cri-config/security-context.ts',
    sysctls: 'src/pod/cri-config/sandbox-config.ts',
    windowsOptions: WINDOWS,
  },
  V1SecurityContext: {
    allowPrivilegeEscalation: 'src/pod/cri-config/security-context.ts',
    appArmorProfile: 'src/pod/values/apparmor-spec.ts',
    capabilities: 'src/pod/cri-config/security-context.ts',
    privileged: 'src/pod/cri-config/security-context.ts',
    procMount: 'src/pod/cri-config/security-context.ts',
    readOnlyRootFilesystem: 'src/pod/cri-config/security-context.ts',
    runAsGroup: 'src/pod/cri-config/security-context.ts',
    runAsNonRoot: 'src/pod/cri-config/security-context.ts',
    runAsUser: 'src/pod/cri-config/security-context.ts',
    seLinuxOptions: 'src/pod/cri-config/security-context.ts',
    seccompProfile: 'src/pod/cri-config/security-profiles.ts',
    windowsOptions: WINDOWS,
  },
  V1Capabilities: { add: 'src/pod/cri-config/security-context.ts', drop: 'src/pod/cri-config/security-context.ts' },
  V1SELinuxOptions: {
    level: 'src/pod/cri-config/security-context.ts',
    role: 'src/pod/cri-config/security-context.ts',
    type: 'src/pod/cri-config/security-context.ts',
    user: 'src/pod/cri-config/security-context.ts',
  },
  V1SeccompProfile: profile,
  V1AppArmorProfile: profile,
  V1VolumeMount: {
    mountPath: 'src/pod/cri-config/mounts.ts',
    mountPropagation: 'src/pod/cri-config/mounts.ts',
    name: 'src/pod/cri-config/mounts.ts',
    readOnly: 'src/pod/cri-config/mounts.ts',
    recursiveReadOnly: 'src/pod/cri-config/mounts.ts',
    subPath: 'src/pod/cri-config/mounts.ts',
    subPathExpr: 'src/pod/cri-config/mounts.ts',
  },
  V1VolumeDevice: {
    devicePath: 'src/pod/cri-config/container-config.ts',
    name: 'src/pod/cri-config/container-config.ts',
  },
  V1EnvVar: {
    name: 'src/pod/cri-config/env.ts',
    value: 'src/pod/cri-config/env.ts',
    valueFrom: 'src/pod/cri-config/env.ts',
  },
  V1EnvVarSource: {
    configMapKeyRef: 'src/pod/cri-config/env.ts',
    fieldRef: 'src/pod/cri-config/env.ts',
    fileKeyRef: 'src/pod/cri-config/env.ts',
    resourceFieldRef: 'src/pod/cri-config/env.ts',
    secretKeyRef: 'src/pod/cri-config/env.ts',
  },
  V1FileKeySelector: {
    key: 'src/pod/cri-config/env.ts',
    optional: 'src/pod/cri-config/env.ts',
    path: 'src/pod/cri-config/env.ts',
    volumeName: 'src/pod/cri-config/env.ts',
  },
  V1EnvFromSource: {
    configMapRef: 'src/pod/cri-config/env.ts',
    prefix: 'src/pod/cri-config/env.ts',
    secretRef: 'src/pod/cri-config/env.ts',
  },
  V1ResourceFieldSelector: {
    containerName: 'src/pod/cri-config/resource-field.ts',
    divisor: 'src/pod/cri-config/resource-field.ts',
    resource: 'src/pod/cri-config/resource-field.ts',
  },
  V1Lifecycle: {
    postStart: 'actors/pod-worker/act/post-start.ts',
    preStop: 'actors/pod-worker/act/pre-stop.ts',
    stopSignal: 'src/pod/cri-config/stop-signal.ts',
  },
  V1LifecycleHandler: {
    exec: 'actors/pod-worker/act/run-hook.ts',
    httpGet: 'actors/pod-worker/act/run-hook.ts',
    sleep: 'actors/pod-worker/act/run-hook.ts',
    tcpSocket: 'src/pod/values/container-annotations.ts',
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
    terminationGracePeriodSeconds: 'src/pod/sync/grace-period.ts',
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
    containerPort: 'src/pod/cri-config/sandbox-config.ts',
    hostIP: 'src/pod/cri-config/sandbox-config.ts',
    hostPort: 'src/pod/cri-config/sandbox-config.ts',
    name: 'src/pod/cri-config/sandbox-config.ts',
    protocol: 'src/pod/cri-config/sandbox-config.ts',
  },
  V1PodDNSConfig: {
    nameservers: 'src/pod/cri-config/dns.ts',
    options: 'src/pod/cri-config/dns.ts',
    searches: 'src/pod/cri-config/dns.ts',
  },
  V1HostAlias: { hostnames: 'src/pod/cri-config/hosts-file.ts', ip: 'src/pod/cri-config/hosts-file.ts' },
  V1ResourceRequirements: {
    claims: DEVICE_CLAIMS,
    limits: 'src/pod/cri-config/linux-resources.ts',
    requests: 'src/pod/cri-config/linux-resources.ts',
  },
  V1ContainerRestartRule: { action: 'src/pod/sync/should-restart.ts', exitCodes: 'src/pod/sync/should-restart.ts' },
  V1ImageVolumeSource: {
    pullPolicy: 'actors/pod-worker/act/resolve-images.ts',
    reference: 'actors/pod-worker/act/resolve-images.ts',
  },
  V1Volume: {
    configMap: 'src/volumes/plan/plan-files.ts',
    csi: 'src/volumes/plan/plan-volumes.ts',
    downwardAPI: 'src/volumes/plan/plan-files.ts',
    emptyDir: 'src/volumes/plan/plan-volumes.ts',
    ephemeral: 'src/csi/resolve-claim.ts',
    hostPath: 'src/volumes/plan/plan-volumes.ts',
    image: 'actors/pod-worker/act/resolve-images.ts',
    name: 'src/volumes/plan/plan-volumes.ts',
    persistentVolumeClaim: 'src/volumes/plan/plan-volumes.ts',
    projected: 'src/volumes/plan/plan-files.ts',
    secret: 'src/volumes/plan/plan-files.ts',
    ...Object.fromEntries(UNMOUNTED.map((kind) => [kind, NOT_OFFERED])),
  },
};

interface Model {
  readonly getAttributeTypeMap: () => readonly { readonly baseName: string }[];
}

const fieldsOf = (type: string): readonly string[] =>
  (api as unknown as Readonly<Record<string, Model>>)[type]?.getAttributeTypeMap().map(({ baseName }) => baseName) ??
  [];

const placeOf = (file: string): URL => new URL(`../../../${file}`, import.meta.url);

describe.each(Object.entries(DECISIONS))('each field of %s', (type, decisions) => {
  it('has a decision', () => {
    expect(Object.keys(decisions).toSorted()).toStrictEqual(fieldsOf(type).toSorted());
  });

  const acted = Object.entries(decisions).flatMap(([field, where]) =>
    typeof where === 'string' ? [[field, where] as const] : [],
  );
  it.each(acted)('that is implemented is named in its file: %s in %s', (field, file) => {
    expect(existsSync(placeOf(file))).toBe(true);
    expect(readFileSync(placeOf(file), 'utf8')).toMatch(new RegExp(String.raw`\b${field}\b`));
  });
});
