import { own, put } from '../../kube/text/own.ts';
import type { Interner } from './intern.ts';

/** Members whose values often repeat from one object to the next. Each value is kept once, whole. */
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

type Fields = Readonly<Record<string, unknown>>;

export interface Compaction {
  readonly interner: Interner;
  /** Members of `metadata` and `spec` (top level) to leave out. */
  readonly without: ReadonlySet<string>;
  /** The previous version of the object, if known. Its unchanged parts are reused. */
  readonly before?: Fields | undefined;
}

/**
 * Returns a compact copy of a fresh API object. Members that no code reads are left out, and so are `null` members,
 * which Kubernetes treats as absent. Texts and parts are shared among all objects of the same interner. The copy
 * must not be changed.
 */
export function compactObject(object: Fields, { interner, without, before }: Compaction): Fields {
  const compact: Record<string, unknown> = {};
  for (const name in object) {
    const [member, was] = [own(object, name), own(before, name)];
    if (member === null) continue;
    const read = isRecord(member) && (name === 'metadata' || name === 'spec') ? unless(without, name, member) : member;
    put(compact, name, compactValue(name, read, { interner, was }));
  }
  return compact;
}

function unless(without: ReadonlySet<string>, part: string, value: Fields): Fields {
  const kept: Record<string, unknown> = {};
  for (const field in value) if (!without.has(`${part}.${field}`)) put(kept, field, own(value, field));
  return kept;
}

interface Place {
  readonly interner: Interner;
  /** The previous value. */
  readonly was: unknown;
}

function compactValue(name: string, value: unknown, { interner, was }: Place): unknown {
  if (typeof value === 'string') return value === was ? was : interner.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isSame(value, was)) return was;
  const copy = Array.isArray(value)
    ? value.map((each, at) => compactValue('', each, { interner, was: Array.isArray(was) ? was[at] : undefined }))
    : // An object that is no list has members by name.
      compactRecord(value as Fields, { interner, was });
  return alike.has(name) ? interner.value(copy) : copy;
}

function compactRecord(value: Fields, { interner, was }: Place): Fields {
  const before = isRecord(was) ? was : undefined;
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    const member = own(value, name);
    if (member === null) continue;
    put(copy, name, compactValue(name, member, { interner, was: own(before, name) }));
  }
  return copy;
}

/** `true` if a value from the server equals a kept value, in which nothing is `null`. */
export function isSame(sent: unknown, kept: unknown): boolean {
  if (sent === kept) return true;
  if (Array.isArray(sent)) {
    return Array.isArray(kept) && sent.length === kept.length && sent.every((each, at) => isSame(each, kept[at]));
  }
  if (!isRecord(sent) || !isRecord(kept)) return false;
  let members = 0;
  for (const name in sent) {
    const member = own(sent, name);
    if (member === null) continue;
    members += 1;
    if (!Object.hasOwn(kept, name) || !isSame(member, own(kept, name))) return false;
  }
  for (const _name in kept) members -= 1;
  return members === 0;
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
