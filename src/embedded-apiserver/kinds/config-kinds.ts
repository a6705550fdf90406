import { isDeepStrictEqual } from 'node:util';
import { list, map } from '../../kube/decode-shape.ts';
import type { ApiObject } from '../api-object.ts';
import { isMembers, textOf } from '../api-object.ts';
import { forbiddenField } from '../field-causes.ts';
import type { StatusCause } from '../refusal.ts';
import { localReference, objectReference, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

/** What is immutable stays so, and its data with it (KEP-1412). */
const keepImmutable =
  (...members: readonly string[]) =>
  (object: ApiObject, old: ApiObject): readonly StatusCause[] => {
    if (old['immutable'] !== true) return [];
    const causes = members
      .filter((member) => !isDeepStrictEqual(object[member] ?? {}, old[member] ?? {}))
      .map((member) => forbiddenField(member, 'field is immutable when `immutable` is set'));
    if (object['immutable'] !== true)
      causes.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
    return causes;
  };

export const configMapKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  shape: topLevel({ data: map('string'), binaryData: map('string'), immutable: 'bool' }),
  rules: { validateUpdate: keepImmutable('data', 'binaryData') },
});

/** `stringData` is for writing only: it is encoded into `data`. */
function encodeSecret(secret: ApiObject): ApiObject {
  const { stringData, ...rest } = secret;
  const added = isMembers(stringData)
    ? Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')])
    : [];
  const data = isMembers(rest['data']) ? rest['data'] : {};
  return {
    ...(rest as ApiObject),
    ...(added.length > 0 && { data: { ...data, ...Object.fromEntries(added) } }),
    type: rest['type'] || 'Opaque',
  };
}

export const secretKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Secret',
  resource: 'secrets',
  namespaced: true,
  shape: topLevel({ data: map('string'), stringData: map('string'), immutable: 'bool', type: 'string' }),
  fields: { type: (secret) => textOf(secret['type']) },
  rules: {
    prepareCreate: encodeSecret,
    prepareUpdate: encodeSecret,
    validateUpdate: (secret, old) => [
      ...(secret['type'] === old['type'] ? [] : [forbiddenField('type', 'field is immutable')]),
      ...keepImmutable('data')(secret, old),
    ],
  },
});

export const serviceAccountKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  shape: topLevel({
    secrets: list(objectReference),
    imagePullSecrets: list(localReference),
    automountServiceAccountToken: 'bool',
  }),
});
