import { entriesOf } from '../text/own.ts';
import { isIP } from 'node:net';
import { checkOneOf, checkRange, checkRule, checkUnique, fieldChecks, MAX_INT32, REQUIRED } from './field-checks.ts';
import type { FieldChecks } from './field-checks.ts';
import type { FieldPath, FieldProblem } from './field-path.ts';
import { whyNoDnsLabel, whyNoDnsSubdomain, whyNoLabelValue, whyNoQualifiedName, whyNoUid } from './name-rules.ts';
import type { Container, ObjectMeta, Pod, PodSpec } from '../pod.ts';
import { isSidecar } from '../pod-resources.ts';
import { validateContainer, validateProfile } from './validate-container.ts';
import type { ContainerKind } from './validate-container.ts';
import { validatePodResources } from './validate-resources.ts';
import { validateVolumes } from './validate-volume.ts';

/**
 * Returns the problems for which the API server would reject a pod; empty for a pod that may run. Expects a decoded and
 * defaulted pod: types are right, but anything may be missing. Covers what a node relies on, not what only a scheduler
 * reads (affinity, spreading).
 */
export function validatePod(pod: Pod): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const checks = fieldChecks(problems);
  // The decoder accepts Pods without either member, whatever the type says.
  const { metadata, spec } = pod as Partial<Pod>;
  if (metadata === undefined) checks.report(['metadata'], undefined, REQUIRED);
  else validateMetadata(checks.below('metadata'), metadata);
  if (spec === undefined) checks.report(['spec'], undefined, REQUIRED);
  else validateSpec(checks.below('spec'), spec);
  return problems;
}

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

function validateMetadata(checks: FieldChecks, metadata: ObjectMeta): void {
  if (!metadata.name) checks.report(['name'], undefined, REQUIRED);
  else checkRule(checks, [['name'], metadata.name], whyNoDnsSubdomain);
  if (metadata.uid) checkRule(checks, [['uid'], metadata.uid], whyNoUid);
  if (metadata.namespace) checkRule(checks, [['namespace'], metadata.namespace], whyNoDnsLabel);
  for (const [key, value] of entriesOf(metadata.labels)) {
    checkRule(checks, [['labels', key], key], whyNoQualifiedName);
    checkRule(checks, [['labels', key], value], whyNoLabelValue);
  }
  let bytes = 0;
  for (const [key, value] of entriesOf(metadata.annotations)) {
    // Unlike label keys, annotation keys may have capitals in the domain.
    checkRule(checks, [['annotations', key], key.toLowerCase()], whyNoQualifiedName);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATIONS_BYTES)
    checks.report(['annotations'], undefined, 'must have at most 262144 bytes together');
}

function validateSpec(checks: FieldChecks, spec: PodSpec): void {
  validateVolumes(checks.below('volumes'), spec.volumes ?? []);
  validateContainers(checks, spec);
  checkOneOf(checks, [['restartPolicy'], spec.restartPolicy], ['Always', 'OnFailure', 'Never']);
  checkRange(
    checks,
    [['terminationGracePeriodSeconds'], spec.terminationGracePeriodSeconds],
    [0, Number.MAX_SAFE_INTEGER],
  );
  checkRange(checks, [['activeDeadlineSeconds'], spec.activeDeadlineSeconds], [1, MAX_INT32]);
  for (const member of ['nodeName', 'serviceAccountName', 'runtimeClassName', 'priorityClassName'] as const) {
    const name = spec[member];
    if (name) checkRule(checks, [[member], name], whyNoDnsSubdomain);
  }
  for (const member of ['hostname', 'subdomain'] as const) {
    const name = spec[member];
    if (name) checkRule(checks, [[member], name], whyNoDnsLabel);
  }
  validateDns(checks, spec);
  validateHost(checks, spec);
  validatePodSecurity(checks.below('securityContext'), spec);
  validatePodResources(checks.below('resources'), spec);
  validateTolerations(checks.below('tolerations'), spec);
}

function validateContainers(checks: FieldChecks, spec: PodSpec): void {
  const lists: readonly (readonly [string, ContainerKind, readonly Container[]])[] = [
    ['initContainers', 'init', spec.initContainers ?? []],
    ['containers', 'regular', spec.containers ?? []],
    ['ephemeralContainers', 'ephemeral', spec.ephemeralContainers ?? []],
  ];
  if ((spec.containers ?? []).length === 0)
    checks.report(['containers'], undefined, 'must have at least one container');
  const volumeNames = new Set((spec.volumes ?? []).map(({ name }) => name));
  const names: string[] = [];
  const paths: FieldPath[] = [];
  for (const [member, kind, containers] of lists) {
    for (const [index, container] of containers.entries()) {
      names.push(container.name);
      paths.push([member, index, 'name']);
      validateContainer(checks.below(member, index), container, { kind, spec, volumeNames });
    }
  }
  checkUnique(checks, names, (index) => paths[index] ?? []);
  validateHostPorts(checks, spec);
}

/** Containers that run side by side cannot share a host port, protocol and address. */
function validateHostPorts(checks: FieldChecks, spec: PodSpec): void {
  const claims: string[] = [];
  const paths: FieldPath[] = [];
  const add = (member: string, containers: readonly Container[]): void => {
    for (const [index, container] of containers.entries()) {
      if (member === 'initContainers' && !isSidecar(container)) continue;
      for (const [at, { hostPort, hostIP = '', protocol = 'TCP' }] of (container.ports ?? []).entries()) {
        if (!hostPort) continue;
        claims.push(`${protocol}/${hostIP}/${hostPort}`);
        paths.push([member, index, 'ports', at, 'hostPort']);
      }
    }
  };
  add('initContainers', spec.initContainers ?? []);
  add('containers', spec.containers ?? []);
  checkUnique(checks, claims, (index) => paths[index] ?? []);
}

function validateDns(checks: FieldChecks, spec: PodSpec): void {
  checkOneOf(checks, [['dnsPolicy'], spec.dnsPolicy], ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']);
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  const at = checks.below('dnsConfig');
  if (spec.dnsPolicy === 'None' && nameservers.length === 0) {
    at.report(['nameservers'], undefined, 'must have at least one server where dnsPolicy is None');
  }
  if (nameservers.length > 3) at.report(['nameservers'], undefined, 'must have at most 3 servers');
  for (const [index, server] of nameservers.entries()) checkIp(at, ['nameservers', index], server);
  if (searches.length > 32) at.report(['searches'], undefined, 'must have at most 32 domains');
  for (const [index, { name }] of options.entries())
    if (!name) at.report(['options', index, 'name'], undefined, REQUIRED);
}

function checkIp(checks: FieldChecks, path: FieldPath, address: string | undefined): void {
  if (isIP(address ?? '') === 0) checks.report(path, address, 'must be an IP address');
}

function validateHost(checks: FieldChecks, spec: PodSpec): void {
  for (const [index, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    checkIp(checks, ['hostAliases', index, 'ip'], ip);
    for (const [at, name] of hostnames.entries()) {
      checkRule(checks, [['hostAliases', index, 'hostnames', at], name], whyNoDnsSubdomain);
    }
  }
  if (spec.hostPID === true && spec.shareProcessNamespace === true) {
    checks.report(['shareProcessNamespace'], true, 'must not be set beside hostPID');
  }
  for (const member of ['hostNetwork', 'hostPID', 'hostIPC'] as const) {
    if (spec.hostUsers === false && spec[member] === true) {
      checks.report([member], true, 'must not be set when hostUsers is false');
    }
  }
  if (spec.os !== undefined) checkOneOf(checks, [['os', 'name'], spec.os.name], ['linux', 'windows']);
}

const SYSCTL = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

function validatePodSecurity(checks: FieldChecks, { securityContext }: PodSpec): void {
  if (securityContext === undefined) return;
  const { supplementalGroups = [], sysctls = [] } = securityContext;
  for (const member of ['runAsUser', 'runAsGroup', 'fsGroup'] as const) {
    checkRange(checks, [[member], securityContext[member]], [0, MAX_INT32]);
  }
  for (const [index, group] of supplementalGroups.entries()) {
    checkRange(checks, [['supplementalGroups', index], group], [0, MAX_INT32]);
  }
  checkOneOf(checks, [['supplementalGroupsPolicy'], securityContext.supplementalGroupsPolicy], ['Merge', 'Strict']);
  checkOneOf(checks, [['fsGroupChangePolicy'], securityContext.fsGroupChangePolicy], ['Always', 'OnRootMismatch']);
  validateProfile(checks.below('seccompProfile'), securityContext.seccompProfile);
  validateProfile(checks.below('appArmorProfile'), securityContext.appArmorProfile);
  checkUnique(
    checks,
    sysctls.map(({ name }) => name),
    (index) => ['sysctls', index, 'name'],
  );
  for (const [index, { name }] of sysctls.entries()) {
    if (!name) checks.report(['sysctls', index, 'name'], undefined, REQUIRED);
    else if (name.length > 253 || !SYSCTL.test(name))
      checks.report(['sysctls', index, 'name'], name, 'is not a valid kernel parameter name');
  }
}

function validateTolerations(checks: FieldChecks, { tolerations = [] }: PodSpec): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = checks.below(index);
    checkOneOf(at, [['operator'], toleration.operator || undefined], ['Exists', 'Equal', 'Lt', 'Gt']);
    checkOneOf(at, [['effect'], toleration.effect || undefined], ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
    if (toleration.key) checkRule(at, [['key'], toleration.key], whyNoQualifiedName);
    if (!toleration.key && toleration.operator !== 'Exists')
      at.report(['operator'], toleration.operator, 'must be Exists without a key');
    if (toleration.operator === 'Exists' && toleration.value)
      at.report(['value'], toleration.value, 'must be empty where the operator is Exists');
  }
}
