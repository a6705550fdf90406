import { own } from '../../kube/text/own.ts';
import { nodeFields } from './config-fields-node.ts';
import { podFields } from './config-fields-pods.ts';
import { servingFields } from './config-fields-serving.ts';
import type { FieldSpec, FieldTable, StructName } from './config-schema.ts';
import { shapeOf } from './config-schema.ts';
import { structFields } from './config-structs.ts';

export const apiVersion = 'kubelet.config.k8s.io/v1beta1';
export const kind = 'KubeletConfiguration';

const allFields = { ...servingFields, ...nodeFields, ...podFields };

export type ConfigFields = typeof allFields;
export type ConfigFieldName = keyof ConfigFields;

/** The path of a field by its member names: `authentication.webhook.cacheTTL`. */
export type ConfigPath = PathsIn<ConfigFields>;

type PathsIn<Table extends FieldTable> = {
  readonly [Name in keyof Table & string]: Table[Name]['type'] extends infer Struct extends StructName
    ? Name | `${Name}.${PathsIn<(typeof structFields)[Struct]>}`
    : Table[Name]['type'] extends `${infer Struct extends StructName}?`
      ? Name | `${Name}.${PathsIn<(typeof structFields)[Struct]>}`
      : Name;
}[keyof Table & string];

/** Every field of KubeletConfiguration v1beta1. */
export const configFields: Readonly<Record<ConfigFieldName, FieldSpec>> = allFields;

/** Returns the table line of a field by its path of member names (`authentication.webhook.cacheTTL`). */
export function fieldSpecAt(path: string): FieldSpec | undefined {
  let table: FieldTable = configFields;
  let spec: FieldSpec | undefined;
  for (const name of path.split('.')) {
    spec = own(table, name);
    const shape = spec === undefined ? undefined : shapeOf(spec.type);
    table = shape?.kind === 'struct' ? structFields[shape.struct] : {};
  }
  return spec;
}
