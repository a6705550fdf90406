import { checkOneOf, checkRange, checkRule, checkUnique, MAX_INT32, REQUIRED } from './field-checks.ts';
import type { FieldChecks } from './field-checks.ts';
import { whyNoDnsLabel, whyNoEnvName, whyNoPortName } from './name-rules.ts';
import type { Container, EnvVar, PodSpec, SecurityProfileSpec, VolumeMount } from '../pod.ts';
import { isSidecar } from '../pod-resources.ts';
import { validateHandler, validateProbe } from './validate-probe.ts';
import { validateResources } from './validate-resources.ts';

export type ContainerKind = 'regular' | 'init' | 'ephemeral';

export interface ContainerContext {
  readonly kind: ContainerKind;
  readonly spec: PodSpec;
  readonly volumeNames: ReadonlySet<string>;
}

export function validateContainer(checks: FieldChecks, container: Container, around: ContainerContext): void {
  if (!container.name) checks.report(['name'], undefined, REQUIRED);
  else checkRule(checks, [['name'], container.name], whyNoDnsLabel);
  const { image } = container;
  if (!image) checks.report(['image'], undefined, REQUIRED);
  else if (image.trim() !== image) checks.report(['image'], image, 'must not begin or end with blanks');
  checkOneOf(checks, [['imagePullPolicy'], container.imagePullPolicy], ['Always', 'IfNotPresent', 'Never']);
  checkOneOf(
    checks,
    [['terminationMessagePolicy'], container.terminationMessagePolicy],
    ['File', 'FallbackToLogsOnError'],
  );
  validatePorts(checks.below('ports'), container, around.spec);
  validateEnv(checks, container);
  validateMounts(checks, container, around.volumeNames);
  validateResources(checks.below('resources'), container.resources);
  validateRestart(checks, container);
  validateHooksAndProbes(checks, container, around);
  validateSecurity(checks.below('securityContext'), container);
}

function validatePorts(checks: FieldChecks, { ports = [] }: Container, spec: PodSpec): void {
  checkUnique(
    checks,
    ports.map(({ name }) => name),
    (index) => [index, 'name'],
  );
  for (const [index, port] of ports.entries()) {
    if (port.name) checkRule(checks, [[index, 'name'], port.name], whyNoPortName);
    if (port.containerPort === undefined) checks.report([index, 'containerPort'], undefined, REQUIRED);
    checkRange(checks, [[index, 'containerPort'], port.containerPort], [1, 65_535]);
    checkRange(checks, [[index, 'hostPort'], port.hostPort], [0, 65_535]);
    checkOneOf(checks, [[index, 'protocol'], port.protocol], ['TCP', 'UDP', 'SCTP']);
    if (spec.hostNetwork === true && port.hostPort && port.hostPort !== port.containerPort) {
      checks.report([index, 'hostPort'], port.hostPort, 'must equal containerPort on the network of the host');
    }
  }
}

function validateEnv(checks: FieldChecks, container: Container): void {
  for (const [index, variable] of (container.env ?? []).entries())
    validateVariable(checks.below('env', index), variable);
  for (const [index, from] of (container.envFrom ?? []).entries()) {
    const ref = from.configMapRef ?? from.secretRef;
    const isOne = (from.configMapRef === undefined) !== (from.secretRef === undefined);
    if (!isOne) checks.report(['envFrom', index], undefined, 'must have exactly one of configMapRef, secretRef');
    else if (!ref?.name) checks.report(['envFrom', index], undefined, 'must name an object');
    if (from.prefix) checkRule(checks, [['envFrom', index, 'prefix'], from.prefix], whyNoEnvName);
  }
}

const FIELD_PATHS = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const RESOURCES = /^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.+)$/;

function validateVariable(checks: FieldChecks, { name, value, valueFrom }: EnvVar): void {
  if (!name) checks.report(['name'], undefined, REQUIRED);
  else checkRule(checks, [['name'], name], whyNoEnvName);
  if (valueFrom === undefined) return;
  if (value) checks.report(['valueFrom'], undefined, 'must not be set beside a value');
  const sources = Object.keys(valueFrom);
  if (sources.length !== 1) checks.report(['valueFrom'], undefined, 'must have exactly one source');
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (
    fieldRef !== undefined &&
    !FIELD_PATHS.has(fieldRef.fieldPath) &&
    !/^metadata\.(?:labels|annotations)\['.+'\]$/.test(fieldRef.fieldPath)
  ) {
    checks.report(
      ['valueFrom', 'fieldRef', 'fieldPath'],
      fieldRef.fieldPath,
      'is not a field that a variable can show',
    );
  }
  if (resourceFieldRef !== undefined && !RESOURCES.test(resourceFieldRef.resource)) {
    checks.report(
      ['valueFrom', 'resourceFieldRef', 'resource'],
      resourceFieldRef.resource,
      'is not a resource that a variable can show',
    );
  }
  for (const [member, ref] of Object.entries({ configMapKeyRef, secretKeyRef, fileKeyRef })) {
    if (ref !== undefined && !ref.key) checks.report(['valueFrom', member, 'key'], undefined, REQUIRED);
  }
}

function validateMounts(checks: FieldChecks, container: Container, volumeNames: ReadonlySet<string>): void {
  const { volumeMounts = [], volumeDevices = [] } = container;
  checkUnique(
    checks,
    volumeMounts.map(({ mountPath }) => mountPath),
    (index) => ['volumeMounts', index, 'mountPath'],
  );
  const isPrivileged = container.securityContext?.privileged === true;
  for (const [index, mount] of volumeMounts.entries()) {
    const at = checks.below('volumeMounts', index);
    if (!volumeNames.has(mount.name)) at.report(['name'], mount.name, 'is not a volume of the pod');
    if (!mount.mountPath) at.report(['mountPath'], undefined, REQUIRED);
    validateMount(at, mount);
    if (mount.mountPropagation === 'Bidirectional' && !isPrivileged) {
      at.report(['mountPropagation'], mount.mountPropagation, 'needs a privileged container');
    }
  }
  for (const [index, { name, devicePath }] of volumeDevices.entries()) {
    if (!volumeNames.has(name)) checks.report(['volumeDevices', index, 'name'], name, 'is not a volume of the pod');
    if (!devicePath) checks.report(['volumeDevices', index, 'devicePath'], undefined, REQUIRED);
  }
}

function validateMount(checks: FieldChecks, mount: VolumeMount): void {
  checkOneOf(checks, [['mountPropagation'], mount.mountPropagation], ['None', 'HostToContainer', 'Bidirectional']);
  checkOneOf(checks, [['recursiveReadOnly'], mount.recursiveReadOnly], ['Disabled', 'IfPossible', 'Enabled']);
  if (mount.subPath && mount.subPathExpr)
    checks.report(['subPathExpr'], mount.subPathExpr, 'must not be set beside subPath');
  for (const member of ['subPath', 'subPathExpr'] as const) {
    const path = mount[member];
    if (path && (path.startsWith('/') || path.split('/').includes('..'))) {
      checks.report([member], path, 'must be relative and without ".."');
    }
  }
  const isRecursive = mount.recursiveReadOnly === 'IfPossible' || mount.recursiveReadOnly === 'Enabled';
  if (isRecursive && mount.readOnly !== true)
    checks.report(['recursiveReadOnly'], mount.recursiveReadOnly, 'needs readOnly');
  if (isRecursive && (mount.mountPropagation ?? 'None') !== 'None') {
    checks.report(['recursiveReadOnly'], mount.recursiveReadOnly, 'needs mountPropagation None');
  }
}

function validateRestart(checks: FieldChecks, container: Container): void {
  checkOneOf(checks, [['restartPolicy'], container.restartPolicy], ['Always', 'OnFailure', 'Never']);
  const { restartPolicyRules = [] } = container;
  if (restartPolicyRules.length > 0 && container.restartPolicy === undefined) {
    checks.report(['restartPolicy'], undefined, 'is required beside restartPolicyRules');
  }
  for (const [index, rule] of restartPolicyRules.entries()) {
    const at = checks.below('restartPolicyRules', index);
    checkOneOf(at, [['action'], rule.action], ['Restart', 'RestartAllContainers']);
    if (rule.exitCodes === undefined) at.report(['exitCodes'], undefined, REQUIRED);
    checkOneOf(at, [['exitCodes', 'operator'], rule.exitCodes?.operator], ['In', 'NotIn']);
  }
}

function validateHooksAndProbes(checks: FieldChecks, container: Container, { kind, spec }: ContainerContext): void {
  // A container that ends before any other starts cannot be probed.
  const isBrief = kind === 'ephemeral' || (kind === 'init' && !isSidecar(container));
  for (const member of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (isBrief && container[member] !== undefined) {
      checks.report(
        [member],
        undefined,
        `cannot be set for ${kind === 'init' ? 'an init container that is not a sidecar' : 'a debug container'}`,
      );
    }
  }
  validateProbe(checks.below('livenessProbe'), container.livenessProbe, 'once');
  validateProbe(checks.below('readinessProbe'), container.readinessProbe, 'readiness');
  validateProbe(checks.below('startupProbe'), container.startupProbe, 'once');
  const { postStart, preStop } = container.lifecycle ?? {};
  const grace = spec.terminationGracePeriodSeconds ?? 30;
  if (postStart !== undefined) validateHandler(checks.below('lifecycle', 'postStart'), postStart, grace);
  if (preStop !== undefined) validateHandler(checks.below('lifecycle', 'preStop'), preStop, grace);
}

function validateSecurity(checks: FieldChecks, { securityContext }: Container): void {
  if (securityContext === undefined) return;
  const { privileged, allowPrivilegeEscalation, capabilities, procMount, runAsUser, runAsGroup } = securityContext;
  checkRange(checks, [['runAsUser'], runAsUser], [0, MAX_INT32]);
  checkRange(checks, [['runAsGroup'], runAsGroup], [0, MAX_INT32]);
  checkOneOf(checks, [['procMount'], procMount], ['Default', 'Unmasked']);
  validateProfile(checks.below('seccompProfile'), securityContext.seccompProfile);
  validateProfile(checks.below('appArmorProfile'), securityContext.appArmorProfile);
  if (allowPrivilegeEscalation !== false) return;
  if (privileged === true)
    checks.report(['allowPrivilegeEscalation'], false, 'must not be false for a privileged container');
  if (capabilities?.add?.includes('CAP_SYS_ADMIN') === true) {
    checks.report(['allowPrivilegeEscalation'], false, 'must not be false beside the capability CAP_SYS_ADMIN');
  }
}

export function validateProfile(checks: FieldChecks, profile: SecurityProfileSpec | undefined): void {
  if (profile === undefined) return;
  checkOneOf(checks, [['type'], profile.type], ['RuntimeDefault', 'Unconfined', 'Localhost']);
  if (profile.type === 'Localhost' && !profile.localhostProfile)
    checks.report(['localhostProfile'], undefined, REQUIRED);
  if (profile.type !== 'Localhost' && profile.localhostProfile !== undefined) {
    checks.report(['localhostProfile'], profile.localhostProfile, 'has a meaning only for type Localhost');
  }
}
