import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import type { ApiKind } from '../store/api-kind.ts';
import { metadataShape } from '../kinds/common-shapes.ts';
import { listRule } from '../patch/merge-keys.ts';
import { fieldDescription } from './field-descriptions.ts';

/** A schema as both versions of OpenAPI write it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-group-version-kind'?: readonly object[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

export const METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** `io.k8s.api.core.v1.Pod`: the established form of schema names. */
export function schemaName({ group, version, kind }: ApiKind): string {
  const [first = ''] = group.split('.');
  return `io.k8s.api.${group === '' ? 'core' : first}.${version}.${kind}`;
}

/** Builds the schema of a kind from the shape that decodes it. `refTo` points at another schema. */
export function kindSchema(kind: ApiKind, refTo: (name: string) => string): Schema {
  const convert = (shape: Shape, path: string): Schema => {
    if (shape === metadataShape && path !== '') return { $ref: refTo(METADATA) };
    return shapeSchema(shape, { kind: kind.kind, path }, convert);
  };
  return {
    description: `${kind.kind} of ${kind.group === '' ? 'core' : kind.group}/${kind.version}.`,
    ...convert(kind.shape, ''),
    'x-kubernetes-group-version-kind': [{ group: kind.group, version: kind.version, kind: kind.kind }],
  };
}

export const metadataSchema = (): Schema => {
  const convert = (shape: Shape, path: string): Schema => shapeSchema(shape, { kind: '', path }, convert);
  return convert(metadataShape, 'metadata');
};

interface Place {
  readonly kind: string;
  readonly path: string;
}

type Convert = (shape: Shape, path: string) => Schema;

function shapeSchema(shape: Shape, { kind, path }: Place, convert: Convert): Schema {
  switch (shape) {
    case 'any':
      // Any value: `kubectl explain` still needs some type.
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 'string':
    case 'quantity':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int':
      return { type: 'integer', format: 'int64' };
    case 'int-or-string':
      return { type: 'string', format: 'int-or-string' };
    default:
  }
  if ('list' in shape) return { type: 'array', items: convert(shape.list, `${path}[]`), ...listExtensions(kind, path) };
  if ('map' in shape) return { type: 'object', additionalProperties: convert(shape.map, `${path}{}`) };
  const properties = Array.from(shape.object, ([name, member]) => {
    const memberPath = path === '' ? name : `${path}.${name}`;
    const schema = convert(member, memberPath);
    const description = fieldDescription(kind, memberPath);
    return [name, description === undefined || schema.$ref ? schema : { description, ...schema }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

function listExtensions(kind: string, path: string): Partial<Schema> {
  const rule = listRule(kind, path);
  if (!rule) return { 'x-kubernetes-list-type': 'atomic' };
  const strategy = rule.retainsKeys ? 'merge,retainKeys' : 'merge';
  if (rule.mergeKey === undefined) return { 'x-kubernetes-patch-strategy': strategy, 'x-kubernetes-list-type': 'set' };
  return {
    'x-kubernetes-patch-strategy': strategy,
    'x-kubernetes-patch-merge-key': rule.mergeKey,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': rule.listKeys,
  };
}
