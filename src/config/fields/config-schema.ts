import type { FeatureGate } from '../feature-gates.ts';
import type { EntryCheck, TextCheck } from '../check/value-checks.ts';

/**
 * The vocabulary in which the fields of a KubeletConfiguration are written down. The tables are data: the decoder, the
 * defaults, the validation and the flags all read the same line about a field.
 */

export type ScalarType =
  'bool' | 'string' | 'int32' | 'int64' | 'uint32' | 'float64' | 'duration' | 'duration or ns' | 'quantity';

/** Objects with a fixed set of fields; `config-structs.ts` has their tables. */
export type StructName =
  | 'KubeletAuthentication'
  | 'KubeletX509Authentication'
  | 'KubeletWebhookAuthentication'
  | 'KubeletAnonymousAuthentication'
  | 'KubeletAuthorization'
  | 'KubeletWebhookAuthorization'
  | 'MemorySwapConfiguration'
  | 'CrashLoopBackOffConfig'
  | 'UserNamespaces'
  | 'MemoryReservation'
  | 'ShutdownGracePeriodByPodPriority'
  | 'LoggingConfiguration'
  | 'VModuleItem'
  | 'FormatOptions'
  | 'OutputRoutingOptions'
  | 'TracingConfiguration'
  | 'Taint';

type Single = ScalarType | StructName;

/** As Go's types, in short: `?` is a pointer, which tells an absent value from a zero one. */
export type ValueType = Single | `${Single}?` | `${Single}[]` | `map<string,${ScalarType}>` | 'map<string,string[]>';

/** The condition on a single value. On a list it applies to every item, on a map to every entry. */
export type Rule =
  | { readonly between: readonly [number, number] }
  | { readonly atLeast: number }
  | { readonly above: number; readonly atMost: number }
  | { readonly zeroOrAtLeast: number }
  | { readonly multipleOf: number; readonly atMost: number }
  | { readonly oneOf: readonly string[] }
  | { readonly only: boolean }
  | { readonly text: TextCheck }
  | { readonly entries: EntryCheck };

export interface FieldSpec {
  readonly type: ValueType;
  /** Absent when the default is the zero value of the type (for a pointer: null). Durations as Go text. */
  readonly default?: string | number | boolean | readonly string[];
  /** A value other than the zero one needs this gate. */
  readonly gate?: FeatureGate;
  /** With `gate`: the default holds only while the gate is on; off, the field has its zero value. */
  readonly defaultNeedsGate?: true;
  /** The default follows this field; `config-defaults.ts` computes it. */
  readonly defaultFollows?: string;
  readonly rule?: Rule;
  /** A relative path in the file means a path from the folder of that file. */
  readonly relativeToFile?: true;
  readonly doc: string;
}

export type FieldTable = Readonly<Record<string, FieldSpec>>;

/** A type taken apart. */
export type TypeShape =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType; readonly nullable: boolean }
  | { readonly kind: 'struct'; readonly struct: StructName; readonly nullable: boolean }
  | { readonly kind: 'list'; readonly item: ValueType }
  | { readonly kind: 'map'; readonly value: ValueType };

const SCALARS = ['bool', 'string', 'int32', 'int64', 'uint32', 'float64', 'duration', 'duration or ns', 'quantity'];

export function shapeOf(type: ValueType): TypeShape {
  // The notation guarantees that the text without its marks is a type again.
  if (type.startsWith('map<string,')) return { kind: 'map', value: type.slice('map<string,'.length, -1) as ValueType };
  if (type.endsWith('[]')) return { kind: 'list', item: type.slice(0, -2) as ValueType };
  const nullable = type.endsWith('?');
  const name = nullable ? type.slice(0, -1) : type;
  // A type without its marks is the name of a scalar or of a struct.
  if (SCALARS.includes(name)) return { kind: 'scalar', scalar: name as ScalarType, nullable };
  // A type without its marks is the name of a scalar or of a struct.
  return { kind: 'struct', struct: name as StructName, nullable };
}
