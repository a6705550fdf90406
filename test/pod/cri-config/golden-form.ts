import {
  MountPropagation,
  NamespaceMode,
  Protocol,
  SecurityProfile_ProfileType,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/api.ts';

/**
 * A CRI message in the form in which the recorded requests are kept: proto field names, enum values by name, int64 as a
 * number, bytes as text; scalars with their default value, empty lists and empty maps left out, empty messages kept.
 */

type Enum = Readonly<Record<string, number>>;
const ENUMS: Readonly<Record<string, Enum>> = {
  network: NamespaceMode,
  pid: NamespaceMode,
  ipc: NamespaceMode,
  mode: NamespaceMode,
  protocol: Protocol,
  propagation: MountPropagation,
  profile_type: SecurityProfile_ProfileType,
  supplemental_groups_policy: SupplementalGroupsPolicy,
};
const MAPS = new Set(['labels', 'annotations', 'sysctls', 'unified']);
const SORTED_BY: Readonly<Record<string, (entry: Json) => string>> = {
  envs: (entry) => memberText(entry, 'key'),
  hugepage_limits: (entry) => memberText(entry, 'page_size'),
  options: (entry) => JSON.stringify(entry),
};
const AS_WRITTEN = new Set(['uidMappings', 'gidMappings', 'CDI_devices']);

export type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

const memberText = (entry: Json, member: string): string =>
  typeof entry === 'object' && member in entry ? JSON.stringify((entry as Readonly<Record<string, Json>>)[member]) : '';

const fieldName = (key: string): string =>
  AS_WRITTEN.has(key) ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const enumName = (values: Enum, value: unknown): string | undefined =>
  value === 0 ? undefined : Object.keys(values).find((name) => values[name] === value);

export function goldenForm(message: unknown): Json {
  return valueForm(message, '') ?? {};
}

function valueForm(value: unknown, name: string): Json | undefined {
  if (value === undefined || value === null || value === '' || value === 0 || value === 0n || value === false)
    return undefined;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value.length === 0 ? undefined : new TextDecoder().decode(value);
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) =>
      typeof entry === 'object' ? messageForm(entry) : (valueForm(entry, '') ?? 0),
    );
    const sortKey = SORTED_BY[name];
    if (sortKey !== undefined) entries.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    return entries.length === 0 ? undefined : entries;
  }
  if (MAPS.has(name)) {
    const map = value as Readonly<Record<string, string>>;
    return Object.keys(map).length === 0 ? undefined : map;
  }
  if (name === 'run_as_user' || name === 'run_as_group')
    return { value: Number((value as { readonly value: bigint }).value) };
  return messageForm(value);
}

function messageForm(message: unknown): Json {
  const form: Record<string, Json> = {};
  for (const [key, value] of Object.entries(message as object)) {
    const name = fieldName(key);
    const values = ENUMS[name];
    const member = values !== undefined && typeof value === 'number' ? enumName(values, value) : valueForm(value, name);
    if (member !== undefined) form[name] = member;
  }
  return form;
}
