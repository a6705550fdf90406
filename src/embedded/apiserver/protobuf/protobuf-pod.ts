import { list, map, message, texts } from './protobuf-parts.ts';
import { podSecurityContext, securityContext } from './protobuf-security.ts';
import { objectFieldSelector, resourceFieldSelector, localObjectReference, volume } from './protobuf-volumes.ts';

const containerPort = message({
  1: ['name', 'string'],
  2: ['hostPort', 'int-or-none'],
  3: ['containerPort', 'int'],
  4: ['protocol', 'string'],
  5: ['hostIP', 'string'],
});

const configMapKeySelector = message({
  1: ['', localObjectReference],
  2: ['key', 'string'],
  3: ['optional', 'bool'],
});

const secretKeySelector = message({
  1: ['', localObjectReference],
  2: ['key', 'string'],
  3: ['optional', 'bool'],
});

const envVarSource = message({
  1: ['fieldRef', objectFieldSelector],
  2: ['resourceFieldRef', resourceFieldSelector],
  3: ['configMapKeyRef', configMapKeySelector],
  4: ['secretKeyRef', secretKeySelector],
});

const envVar = message({
  1: ['name', 'string'],
  2: ['value', 'string'],
  3: ['valueFrom', envVarSource],
});

const resourceRequirements = message({
  1: ['limits', map('quantity')],
  2: ['requests', map('quantity')],
});

const volumeMount = message({
  1: ['name', 'string'],
  2: ['readOnly', 'flag'],
  3: ['mountPath', 'string'],
  4: ['subPath', 'string'],
  5: ['mountPropagation', 'string'],
  6: ['subPathExpr', 'string'],
  7: ['recursiveReadOnly', 'string'],
});

const execAction = message({
  1: ['command', texts],
});

const httpHeader = message({
  1: ['name', 'string'],
  2: ['value', 'string'],
});

const httpGet = message({
  1: ['path', 'string'],
  2: ['port', 'int-or-string'],
  3: ['host', 'string'],
  4: ['scheme', 'string'],
  5: ['httpHeaders', list(httpHeader)],
});

const tcpSocket = message({
  1: ['port', 'int-or-string'],
  2: ['host', 'string'],
});

const sleepAction = message({
  1: ['seconds', 'int'],
});

const handler = message({
  1: ['exec', execAction],
  2: ['httpGet', httpGet],
  3: ['tcpSocket', tcpSocket],
  4: ['sleep', sleepAction],
});

const probe = message({
  1: ['', handler],
  2: ['initialDelaySeconds', 'int-or-none'],
  3: ['timeoutSeconds', 'int-or-none'],
  4: ['periodSeconds', 'int-or-none'],
  5: ['successThreshold', 'int-or-none'],
  6: ['failureThreshold', 'int-or-none'],
  7: ['terminationGracePeriodSeconds', 'int'],
});

const lifecycle = message({
  1: ['postStart', handler],
  2: ['preStop', handler],
  3: ['stopSignal', 'string'],
});

const configMapEnvSource = message({
  1: ['', localObjectReference],
  2: ['optional', 'bool'],
});

const secretEnvSource = message({
  1: ['', localObjectReference],
  2: ['optional', 'bool'],
});

const envFromSource = message({
  1: ['prefix', 'string'],
  2: ['configMapRef', configMapEnvSource],
  3: ['secretRef', secretEnvSource],
});

const volumeDevice = message({
  1: ['name', 'string'],
  2: ['devicePath', 'string'],
});

const containerResizePolicy = message({
  1: ['resourceName', 'string'],
  2: ['restartPolicy', 'string'],
});

const container = message({
  1: ['name', 'string'],
  2: ['image', 'string'],
  3: ['command', texts],
  4: ['args', texts],
  5: ['workingDir', 'string'],
  6: ['ports', list(containerPort)],
  7: ['env', list(envVar)],
  8: ['resources', resourceRequirements],
  9: ['volumeMounts', list(volumeMount)],
  10: ['livenessProbe', probe],
  11: ['readinessProbe', probe],
  12: ['lifecycle', lifecycle],
  13: ['terminationMessagePath', 'string'],
  14: ['imagePullPolicy', 'string'],
  15: ['securityContext', securityContext],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(envFromSource)],
  20: ['terminationMessagePolicy', 'string'],
  21: ['volumeDevices', list(volumeDevice)],
  22: ['startupProbe', probe],
  23: ['resizePolicy', list(containerResizePolicy)],
  24: ['restartPolicy', 'string'],
});

const toleration = message({
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['value', 'string'],
  4: ['effect', 'string'],
  5: ['tolerationSeconds', 'int'],
});

const hostAlias = message({
  1: ['ip', 'string'],
  2: ['hostnames', texts],
});

const podDNSConfigOption = message({
  1: ['name', 'string'],
  2: ['value', 'string'],
});

const podDNSConfig = message({
  1: ['nameservers', texts],
  2: ['searches', texts],
  3: ['options', list(podDNSConfigOption)],
});

const podReadinessGate = message({
  1: ['conditionType', 'string'],
});

const ephemeralContainerCommon = message({
  1: ['name', 'string'],
  2: ['image', 'string'],
  3: ['command', texts],
  4: ['args', texts],
  5: ['workingDir', 'string'],
  6: ['ports', list(containerPort)],
  7: ['env', list(envVar)],
  8: ['resources', resourceRequirements],
  9: ['volumeMounts', list(volumeMount)],
  10: ['livenessProbe', probe],
  11: ['readinessProbe', probe],
  12: ['lifecycle', lifecycle],
  13: ['terminationMessagePath', 'string'],
  14: ['imagePullPolicy', 'string'],
  15: ['securityContext', securityContext],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(envFromSource)],
  20: ['terminationMessagePolicy', 'string'],
  21: ['volumeDevices', list(volumeDevice)],
  22: ['startupProbe', probe],
  23: ['resizePolicy', list(containerResizePolicy)],
  24: ['restartPolicy', 'string'],
});

const ephemeralContainer = message({
  1: ['', ephemeralContainerCommon],
  2: ['targetContainerName', 'string'],
});

const podOS = message({
  1: ['name', 'string'],
});

const podSchedulingGate = message({
  1: ['name', 'string'],
});

/** The spec of a pod, without members that only a scheduler reads. */
export const podSpec = message({
  1: ['volumes', list(volume)],
  2: ['containers', list(container)],
  3: ['restartPolicy', 'string'],
  4: ['terminationGracePeriodSeconds', 'int'],
  5: ['activeDeadlineSeconds', 'int'],
  6: ['dnsPolicy', 'string'],
  7: ['nodeSelector', map('string')],
  8: ['serviceAccountName', 'string'],
  9: ['serviceAccount', 'string'],
  10: ['nodeName', 'string'],
  11: ['hostNetwork', 'flag'],
  12: ['hostPID', 'flag'],
  13: ['hostIPC', 'flag'],
  14: ['securityContext', podSecurityContext],
  15: ['imagePullSecrets', list(localObjectReference)],
  16: ['hostname', 'string'],
  17: ['subdomain', 'string'],
  19: ['schedulerName', 'string'],
  20: ['initContainers', list(container)],
  21: ['automountServiceAccountToken', 'bool'],
  22: ['tolerations', list(toleration)],
  23: ['hostAliases', list(hostAlias)],
  24: ['priorityClassName', 'string'],
  25: ['priority', 'int'],
  26: ['dnsConfig', podDNSConfig],
  27: ['shareProcessNamespace', 'bool'],
  28: ['readinessGates', list(podReadinessGate)],
  29: ['runtimeClassName', 'string'],
  30: ['enableServiceLinks', 'bool'],
  31: ['preemptionPolicy', 'string'],
  32: ['overhead', map('quantity')],
  34: ['ephemeralContainers', list(ephemeralContainer)],
  35: ['setHostnameAsFQDN', 'bool'],
  36: ['os', podOS],
  37: ['hostUsers', 'bool'],
  38: ['schedulingGates', list(podSchedulingGate)],
  40: ['resources', resourceRequirements],
});
