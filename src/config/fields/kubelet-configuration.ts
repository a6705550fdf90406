import type { ConfigFields } from './config-fields.ts';
import type { FieldSpec, FieldTable, ScalarType, StructName } from './config-schema.ts';
import type { structFields } from './config-structs.ts';

/**
 * KubeletConfiguration (kubelet.config.k8s.io/v1beta1) with every field filled in: the type of the field tables. Durations
 * are milliseconds, whatever the name says. `null` stands for a pointer that is nil and has no default.
 */
export interface KubeletConfiguration extends FilledIn<ConfigFields> {}

type FilledIn<Table extends FieldTable> = {
  readonly [Name in keyof Table]: Value<Table[Name], Table[Name]['type']> | Nil<Table[Name]>;
};

/** An object nested in a KubeletConfiguration, by its name in Kubernetes. */
type Struct<Name extends StructName> = FilledIn<(typeof structFields)[Name]>;

type Value<Spec extends FieldSpec, Type extends string> = Type extends `map<string,${infer Entry}>`
  ? Readonly<Record<string, Value<Spec, Entry>>>
  : Type extends `${infer Item}[]`
    ? readonly Value<Spec, Item>[]
    : Type extends `${infer Pointee}?`
      ? Value<Spec, Pointee>
      : Type extends StructName
        ? Struct<Type>
        : Type extends ScalarType
          ? Scalar<Spec, Type>
          : never;

type Scalar<Spec extends FieldSpec, Type extends ScalarType> = Type extends 'bool'
  ? boolean
  : Type extends 'quantity'
    ? string
    : Type extends 'string'
      ? Text<Spec>
      : number;

/** Validation admits only the texts that the rule of a field names. Behind a gate that is off, a text may be empty. */
type Text<Spec extends FieldSpec> = Spec extends { readonly rule: { readonly oneOf: readonly (infer Choice)[] } }
  ? Choice | (Spec extends { readonly defaultNeedsGate: true } ? '' : never)
  : string;

/** A pointer without a default may be nil, and one whose default needs a gate. */
type Nil<Spec extends FieldSpec> = Spec extends { readonly type: `${string}?` }
  ? Spec extends { readonly defaultNeedsGate: true }
    ? null
    : Spec extends { readonly default: unknown } | { readonly defaultFollows: string }
      ? never
      : null
  : never;
