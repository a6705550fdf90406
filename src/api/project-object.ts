import type { Interner } from './intern.ts';

/** Members whose values are often the same from one object to the next: each is kept once, whole. */
const alike: ReadonlySet<string> = new Set([
  'tolerations',
  'resources',
  'allocatedResources',
  'securityContext',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'ports',
  'command',
  'args',
  'env',
  'envFrom',
  'volumeMounts',
  'nodeSelector',
  'affinity',
  'ownerReferences',
  'projected',
  'configMap',
  'secret',
  'dnsConfig',
  'selector',
]);

/**
 * A copy of a fresh object of the API that takes little room: without the members named in `without` at the top of its
 * `metadata` and `spec`, and with texts and parts shared among all that went through the same interner. Nobody may change it.
 */
export function compactObject(
  object: Readonly<Record<string, unknown>>,
  { interner, without }: { readonly interner: Interner; readonly without: ReadonlySet<string> },
): Readonly<Record<string, unknown>> {
  const compact: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(object)) {
    if (isRecord(member) && (name === 'metadata' || name === 'spec')) {
      const kept: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(member)) {
        if (!without.has(`${name}.${field}`)) kept[field] = compactValue(field, value, interner);
      }
      compact[name] = kept;
    } else compact[name] = compactValue(name, member, interner);
  }
  return compact;
}

function compactValue(name: string, value: unknown, interner: Interner): unknown {
  if (typeof value === 'string') return interner.text(value);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((each) => compactValue('', each, interner))
    : compactRecord(value, interner);
  return alike.has(name) ? interner.value(copy) : copy;
}

function compactRecord(value: object, interner: Interner): object {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = compactValue(name, member, interner);
  return copy;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
