import { isDeepStrictEqual } from 'node:util';
import { list, map } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { forbiddenField, invalidValue, required } from '../store/field-causes.ts';
import { badRequest, type StatusCause } from '../store/refusal.ts';
import { localReference, objectReference, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

/** An immutable object stays immutable, and so does its data (KEP-1412). */
const keepImmutable =
  (...members: readonly string[]) =>
  (object: ApiObject, old: ApiObject): readonly StatusCause[] => {
    if (old['immutable'] !== true) return [];
    const causes = members
      .filter((member) => !isDeepStrictEqual(own(object, member) ?? {}, own(old, member) ?? {}))
      .map((member) => forbiddenField(member, 'field is immutable when `immutable` is set'));
    if (object['immutable'] !== true)
      causes.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
    return causes;
  };

const KEY = /^[-._a-zA-Z0-9]+$/;

/** Keys become names of files and variables. */
function keyProblems(...members: readonly string[]): (object: ApiObject) => readonly StatusCause[] {
  return (object) =>
    members.flatMap((member) =>
      Object.keys(membersOf(object, member))
        .filter((key) => !KEY.test(key) || key.length > 253 || key === '.' || key.startsWith('..'))
        .map((key) => invalidValue(`${member}[${key}]`, key, 'must be letters, digits, "-", "_" and "."')),
    );
}

export const configMapKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  shape: topLevel({ data: map('string'), binaryData: map('string'), immutable: 'bool' }),
  rules: { validate: keyProblems('data', 'binaryData'), validateUpdate: keepImmutable('data', 'binaryData') },
});

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Keys that secrets of some types must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

const missingKeys = (secret: ApiObject): readonly StatusCause[] =>
  (own(requiredKeys, textOf(secret['type'])) ?? [])
    .filter((key) => own(membersOf(secret, 'data'), key) === undefined)
    .map((key) => required(`data[${key}]`));

/** `stringData` is for writing only: it is encoded into `data`. */
function encodeSecret(secret: ApiObject): ApiObject {
  const { stringData, ...rest } = secret;
  const added = isMembers(stringData)
    ? Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')])
    : [];
  const data = isMembers(rest['data']) ? rest['data'] : {};
  for (const [key, value] of Object.entries(data)) {
    if (!BASE64.test(String(value))) {
      throw badRequest(`Secret in version "v1" cannot be handled as a Secret: data[${key}]: illegal base64 data`);
    }
  }
  return {
    // The members that every object has are still there.
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
    validate: (secret) => [...keyProblems('data')(secret), ...missingKeys(secret)],
    validateUpdate: (secret, old) => [
      ...(secret['type'] === old['type'] ? [] : [invalidValue('type', secret['type'], 'field is immutable')]),
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
