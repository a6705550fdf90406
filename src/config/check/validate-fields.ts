import { own } from '../../kube/text/own.ts';
import { defaultOf, zeroValue } from '../fields/config-defaults.ts';
import { configFields } from '../fields/config-fields.ts';
import type { FieldSpec, FieldTable, Rule, ValueType } from '../fields/config-schema.ts';
import { shapeOf } from '../fields/config-schema.ts';
import { structFields } from '../fields/config-structs.ts';
import type { ConfigTree, ConfigValue } from '../fields/config-value.ts';
import { entryPath, isTree, itemPath, memberPath } from '../fields/config-value.ts';
import type { GateLookup } from '../feature-gates.ts';
import { formatGoDuration } from '../../kube/text/go-duration.ts';
import { suggestion } from '../flags/did-you-mean.ts';
import { entryCheck, textCheck } from './value-checks.ts';

/** A field whose value breaks its rule. */
export interface FieldViolation {
  readonly path: string;
  readonly expected: string;
  /** The wrong text, when it is not the value: the key of an entry. */
  readonly found?: string;
}

/**
 * Checks each field by the rule on its own line of the table. Rules that depend on another field are in
 * cross-field-rules.ts.
 */
export function findBrokenFields(config: ConfigTree, isOn: GateLookup): readonly FieldViolation[] {
  return findInTable({ tree: config, table: configFields, path: '' }, isOn);
}

interface TableAt {
  readonly tree: ConfigTree;
  readonly table: FieldTable;
  readonly path: string;
}

function findInTable({ tree, table, path }: TableAt, isOn: GateLookup): readonly FieldViolation[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const value = own(tree, name);
    return value === undefined ? [] : findInField({ value, spec, path: memberPath(path, name) }, isOn);
  });
}

interface FieldAt {
  readonly value: ConfigValue;
  readonly spec: FieldSpec;
  readonly path: string;
}

function findInField({ value, spec, path }: FieldAt, isOn: GateLookup): readonly FieldViolation[] {
  if (spec.gate !== undefined && !isOn(spec.gate)) {
    const idle = isUnset(value, spec.type) || value === defaultOf(spec, isOn);
    return idle ? [] : [{ path, expected: `nothing, since feature gate ${spec.gate} is off` }];
  }
  const shape = shapeOf(spec.type);
  switch (shape.kind) {
    case 'struct':
      return isTree(value) ? findInTable({ tree: value, table: structFields[shape.struct], path }, isOn) : [];
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item: ConfigValue, index) =>
            findInField({ value: item, spec: { ...spec, type: shape.item }, path: itemPath(path, index) }, isOn),
          )
        : [];
    case 'map':
      return isTree(value) ? findInEntries(value, spec.rule, path) : [];
    case 'scalar': {
      const expected = value === null || spec.rule === undefined ? undefined : broken(value, spec.rule, spec.type);
      return expected === undefined ? [] : [{ path, expected }];
    }
    default:
      return shape satisfies never;
  }
}

function isUnset(value: ConfigValue, type: ValueType): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === zeroValue(type);
}

function findInEntries(entries: ConfigTree, rule: Rule | undefined, path: string): readonly FieldViolation[] {
  if (rule === undefined || !('entries' in rule)) return [];
  const { keys, keyExpected, value: check } = entryCheck(rule.entries);
  return Object.entries(entries).flatMap(([key, value]) => {
    const at = entryPath(path, key);
    const known = keys instanceof RegExp ? keys.test(key) : keys.includes(key);
    if (!known) {
      const expected = keyExpected + (keys instanceof RegExp ? '' : suggestion(key, keys));
      return [{ path: at, expected, found: key }];
    }
    return typeof value === 'string' && check.accepts(value) ? [] : [{ path: at, expected: check.expected }];
  });
}

/** Returns a description of the expected value. `undefined` when the value satisfies the rule. */
function broken(value: ConfigValue, rule: Rule, type: ValueType): string | undefined {
  if (typeof value === 'string') {
    if ('oneOf' in rule) {
      return rule.oneOf.includes(value) ? undefined : `one of ${rule.oneOf.map((word) => word || '""').join(', ')}`;
    }
    if (!('text' in rule)) return undefined;
    const check = textCheck(rule.text);
    return check.accepts(value) ? undefined : check.expected;
  }
  if (typeof value === 'boolean') return 'only' in rule && value !== rule.only ? String(rule.only) : undefined;
  if (typeof value !== 'number') return undefined;
  const show = (number: number): string => (type.startsWith('duration') ? formatGoDuration(number) : String(number));
  return brokenNumber(value, rule, show);
}

function brokenNumber(value: number, rule: Rule, show: (number: number) => string): string | undefined {
  if ('between' in rule) {
    const [lowest, highest] = rule.between;
    return value >= lowest && value <= highest ? undefined : `${show(lowest)} to ${show(highest)}`;
  }
  if ('atLeast' in rule) return value >= rule.atLeast ? undefined : `${show(rule.atLeast)} or more`;
  if ('zeroOrAtLeast' in rule) {
    const { zeroOrAtLeast: least } = rule;
    return value === 0 || value >= least ? undefined : `${show(0)}, or ${show(least)} and more`;
  }
  if ('multipleOf' in rule) {
    const { multipleOf: unit, atMost } = rule;
    const fits = value >= unit && value <= atMost && value % unit === 0;
    return fits ? undefined : `a multiple of ${unit} from ${unit} to ${atMost}`;
  }
  if (!('above' in rule) || (value > rule.above && value <= rule.atMost)) return undefined;
  const most = rule.atMost === Number.MAX_VALUE ? '' : ` and at most ${show(rule.atMost)}`;
  return `more than ${show(rule.above)}${most}`;
}
