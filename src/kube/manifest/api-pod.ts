import {
  fieldChecks,
  checkRange,
  checkRule,
  checkUnique,
  MAX_INT32,
  type FieldChecks,
} from '../validation/field-checks.ts';
import type { FieldPath, FieldProblem } from '../validation/field-path.ts';
import { whyNoDnsLabel, whyNoDnsSubdomain, whyNoUid } from '../validation/name-rules.ts';
import type { Container, LifecycleHandler, ObjectMeta, Pod, PodSpec, Probe } from '../pod.ts';
import { apiPodShape, apiPodShapeWithoutSpec } from './pod-shape.ts';
import { shapeProblem } from './shape-problem.ts';

export interface ApiPodCheck {
  readonly nodeName: string;
  /** `checked`: the spec equals one that was found good before, on this node. */
  readonly spec: 'checked' | 'unchecked';
}

/**
 * Returns what is wrong with a pod from an API server; `undefined` when this agent can read the pod.
 *
 * The server has validated its pods, by rules that may be newer than ours. So this checks only what the code relies on:
 * types, names that become paths and keys, numbers used for times, and instants.
 */
export function apiPodProblem(object: unknown, { nodeName, spec: known }: ApiPodCheck): FieldProblem | undefined {
  const misshapen = shapeProblem(known === 'checked' ? apiPodShapeWithoutSpec : apiPodShape, object);
  if (misshapen !== undefined) return misshapen;
  const problems: FieldProblem[] = [];
  const checks = fieldChecks(problems);
  // The shape has just been checked, required members included.
  const { metadata, spec } = object as Pod;
  checkMetadata(checks, metadata);
  if (known === 'unchecked') checkSpec(checks, spec, nodeName);
  return problems[0];
}

function checkMetadata(checks: FieldChecks, metadata: ObjectMeta): void {
  checkRule(checks, [NAME, metadata.name], whyNoDnsSubdomain);
  checkRule(checks, [NAMESPACE, metadata.namespace], whyNoDnsLabel);
  checkRule(checks, [UID, metadata.uid], whyNoUid);
  for (const member of ['creationTimestamp', 'deletionTimestamp'] as const) {
    const moment = metadata[member];
    if (moment && !isMoment(moment)) checks.report(['metadata', member], moment, 'must be a moment (RFC 3339)');
  }
}

const NAME: FieldPath = ['metadata', 'name'];
const NAMESPACE: FieldPath = ['metadata', 'namespace'];
const UID: FieldPath = ['metadata', 'uid'];

const isMoment = (text: string): boolean =>
  text.length <= 64 && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

function checkSpec(checks: FieldChecks, spec: PodSpec, nodeName: string): void {
  if (spec.nodeName && spec.nodeName !== nodeName) {
    checks.report(['spec', 'nodeName'], spec.nodeName, 'is another node');
  }
  // Kubernetes takes a negative period for one second. A period that no timer can count is an error.
  checkRange(checks, [['spec', 'activeDeadlineSeconds'], spec.activeDeadlineSeconds || undefined], [1, MAX_INT32]);
  const volumes = spec.volumes ?? [];
  for (const [index, { name }] of volumes.entries()) {
    if (whyNoDnsLabel(name) === undefined) continue;
    checkRule(checks, [['spec', 'volumes', index, 'name'], name], whyNoDnsLabel);
  }
  checkUnique(
    checks,
    volumes.map(({ name }) => name),
    (index) => ['spec', 'volumes', index, 'name'],
  );
  checkContainers(checks, spec);
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function checkContainers(checks: FieldChecks, spec: PodSpec): void {
  if (spec.containers.length === 0)
    checks.report(['spec', 'containers'], undefined, 'must have at least one container');
  const seen = new Set<string>();
  for (const member of LISTS) {
    for (const [index, container] of (spec[member] ?? []).entries()) {
      const wrong = seen.has(container.name) ? 'appears twice' : whyNoDnsLabel(container.name);
      if (wrong !== undefined) checks.report(['spec', member, index, 'name'], container.name, wrong);
      seen.add(container.name);
      checkTimes(checks, container, ['spec', member, index]);
    }
  }
}

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
const HOOKS = ['postStart', 'preStop'] as const;

function checkTimes(checks: FieldChecks, container: Container, at: FieldPath): void {
  for (const member of PROBES) {
    const probe = container[member];
    if (probe) checkProbe(checks, probe, [...at, member]);
  }
  for (const member of HOOKS) {
    const hook: LifecycleHandler | undefined = container.lifecycle?.[member];
    const seconds = hook?.sleep?.seconds;
    checkRange(checks, [[...at, 'lifecycle', member, 'sleep', 'seconds'], seconds], [0, MAX_INT32]);
  }
}

const LEAST = {
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
} as const;
const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function checkProbe(checks: FieldChecks, probe: Probe, at: FieldPath): void {
  for (const member of COUNTS) {
    const count = probe[member] ?? undefined;
    const least = LEAST[member];
    if (count === undefined || (count >= least && count <= MAX_INT32)) continue;
    checks.report([...at, member], count, `must be between ${least} and ${MAX_INT32}`);
  }
}
