import { own } from '../../kube/text/own.ts';
import { configFields } from './config-fields.ts';
import type { FieldSpec, FieldTable, ValueType } from './config-schema.ts';
import { shapeOf } from './config-schema.ts';
import { structFields } from './config-structs.ts';
import type { ConfigTree, ConfigValue } from './config-value.ts';
import { isTree, valueAt, withValueAt } from './config-value.ts';
import type { GateLookup } from '../feature-gates.ts';
import { parseGoDuration } from '../../kube/text/go-duration.ts';

/** The thresholds of a node whose configuration file sets no `evictionHard`. */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/** Returns the value of a field that is not set and has no default in the table. */
export function zeroValue(type: ValueType): ConfigValue {
  const shape = shapeOf(type);
  switch (shape.kind) {
    case 'list':
      return [];
    case 'map':
      return {};
    case 'struct':
      return shape.nullable ? null : {};
    case 'scalar':
      if (shape.nullable) return null;
      if (shape.scalar === 'bool') return false;
      return shape.scalar === 'string' ? '' : shape.scalar === 'quantity' ? '0' : 0;
    default:
      return shape satisfies never;
  }
}

/** Returns the default in the table, with durations in milliseconds. */
export function defaultOf(spec: FieldSpec, isOn: GateLookup): ConfigValue {
  const off = spec.defaultNeedsGate === true && spec.gate !== undefined && !isOn(spec.gate);
  if (spec.default === undefined || off) return zeroValue(spec.type);
  const isDuration = spec.type.startsWith('duration') && typeof spec.default === 'string';
  return isDuration ? (parseGoDuration(spec.default) ?? 0) : spec.default;
}

const isZero = (value: ConfigValue): boolean => value === 0 || value === '' || value === false;

function completeValue(value: ConfigValue | undefined, spec: FieldSpec, isOn: GateLookup): ConfigValue {
  const shape = shapeOf(spec.type);
  if (shape.kind === 'struct') {
    if (isTree(value)) return completeTree(value, structFields[shape.struct], isOn);
    return shape.nullable ? null : completeTree({}, structFields[shape.struct], isOn);
  }
  if (value === undefined || value === null) return defaultOf(spec, isOn);
  // Without a pointer, a zero cannot be distinguished from an absent value: `port: 0` and `syncFrequency: 0s` mean the
  // default.
  if (shape.kind === 'scalar') return !shape.nullable && isZero(value) ? defaultOf(spec, isOn) : value;
  if (shape.kind === 'map' || !Array.isArray(value)) return value;
  const item = shapeOf(shape.item);
  if (item.kind !== 'struct') return value;
  return value.map((each: ConfigValue) => (isTree(each) ? completeTree(each, structFields[item.struct], isOn) : each));
}

function completeTree(tree: ConfigTree, table: FieldTable, isOn: GateLookup): ConfigTree {
  const names = Object.entries(table);
  return Object.fromEntries(names.map(([name, spec]) => [name, completeValue(own(tree, name), spec, isOn)]));
}

/** Sets defaults that follow another field, so that no line of the table can hold them. */
function followingDefaults(tree: ConfigTree): ConfigTree {
  let next = tree;
  const update = tree['nodeStatusUpdateFrequency'] ?? 0;
  const report = tree['nodeStatusReportFrequency'] ?? 0;
  // Users who changed the status frequency before the report frequency existed still get what they asked for.
  if (report === 0 && update !== 0) next = withValueAt(next, 'nodeStatusReportFrequency', update);
  const pulls = tree['maxParallelImagePulls'];
  if ((tree['serializeImagePulls'] ?? null) === null) {
    next = withValueAt(next, 'serializeImagePulls', typeof pulls !== 'number' || pulls < 2);
  }
  const pids = tree['podPidsLimit'];
  return typeof pids === 'number' && pids < 0 ? withValueAt(next, 'podPidsLimit', -1) : next;
}

/** Fills in every field, as the kubelet fills in the fields that its configuration files leave open. */
export function withDefaults(tree: ConfigTree, isOn: GateLookup): ConfigTree {
  return completeTree(followingDefaults(tree), configFields, isOn);
}

/**
 * Sets the hard thresholds of a node that has a configuration file. An empty `evictionHard: {}` is a choice and is
 * kept.
 */
export function withDefaultEviction(defaulted: ConfigTree, set: ConfigTree): ConfigTree {
  const chosen = valueAt(set, 'evictionHard');
  if (!isTree(chosen)) return withValueAt(defaulted, 'evictionHard', defaultEvictionHard);
  if (valueAt(set, 'mergeDefaultEvictionSettings') !== true) return defaulted;
  return withValueAt(defaulted, 'evictionHard', { ...defaultEvictionHard, ...chosen });
}
