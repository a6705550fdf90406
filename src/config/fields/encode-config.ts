import { assertNever } from '../../kube/text/assert-never.ts';
import { own } from '../../kube/text/own.ts';
import { apiVersion, configFields, kind } from './config-fields.ts';
import { shapeOf, type FieldTable, type ValueType } from './config-schema.ts';
import { structFields } from './config-structs.ts';
import { formatGoDuration } from '../../kube/text/go-duration.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';

/** Returns a configuration in the form of a file: durations are text again. */
export const encodeConfig = (config: KubeletConfiguration): Readonly<Record<string, unknown>> => ({
  kind,
  apiVersion,
  ...encodeFields(configFields, config),
});

const encodeFields = (table: FieldTable, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => own(values, name) !== undefined && own(values, name) !== null)
      .map(([name, spec]) => [name, encodeValue(spec.type, own(values, name))]),
  );

function encodeValue(type: ValueType, value: unknown): unknown {
  const shape = shapeOf(type);
  switch (shape.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => encodeValue(shape.item, item)) : value;
    case 'map':
      return value;
    case 'struct':
      // The table says that this value is an object.
      return encodeFields(structFields[shape.struct], value as Readonly<Record<string, unknown>>);
    case 'scalar':
      if (typeof value === 'bigint') return Number(value);
      return shape.scalar.startsWith('duration') ? formatGoDuration(Number(value)) : value;
    default:
      return assertNever(shape, 'shape of a field');
  }
}
