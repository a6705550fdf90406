import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import { decodeShape } from '../../../kube/manifest/decode-shape.ts';
import type { FieldPath } from '../../../kube/validation/field-path.ts';
import { formatFieldPath } from '../../../kube/validation/field-path.ts';
import type { ApiKind } from './api-kind.ts';
import { apiVersionOf } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { isMembers } from './api-object.ts';
import { omitEmpty } from './omit-empty.ts';
import { badRequest } from './refusal.ts';

/** How unknown fields are treated: refused, dropped with a warning, or dropped silently. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/**
 * Decodes a body as an object of the kind. The result shares nothing with the body. Throws a `Refusal` for a wrong
 * type, or for an unknown field that is to be refused.
 */
export function decodeObject(
  kind: ApiKind,
  body: unknown,
  { fieldValidation, warn }: { readonly fieldValidation: FieldValidation; readonly warn: (text: string) => void },
): ApiObject {
  if (!isMembers(body)) throw badRequest('the body of the request must be an object');
  const expected = apiVersionOf(kind);
  const { apiVersion, kind: given } = body;
  if (typeof given === 'string' && given !== '' && given !== kind.kind) {
    throw badRequest(
      `${given} in version "${String(apiVersion)}" cannot be handled as a ${kind.kind}: unexpected kind`,
    );
  }
  if (typeof apiVersion === 'string' && apiVersion !== '' && apiVersion !== expected) {
    const message = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
    throw badRequest(message);
  }
  const decoded = decodeShape(kind.shape, body);
  const [problem] = decoded.problems;
  if (problem) {
    const where = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
    throw badRequest(
      `${where}: ${formatFieldPath(problem.path)}: ${problem.message}, not ${JSON.stringify(problem.value)}`,
    );
  }
  if (fieldValidation !== 'Ignore') reportUnknown(kind, body, { fieldValidation, warn });
  const value = omitEmpty(kind.shape, decoded.value);
  const members = isMembers(value) ? value : {};
  const metadata = isMembers(members['metadata']) ? members['metadata'] : {};
  // The shape was checked; the writer checks for a missing name.
  return { ...members, apiVersion: expected, kind: kind.kind, metadata } as unknown as ApiObject;
}

function reportUnknown(
  kind: ApiKind,
  body: unknown,
  { fieldValidation, warn }: { readonly fieldValidation: FieldValidation; readonly warn: (text: string) => void },
): void {
  const unknown = unknownFields(kind.shape, body).map((path) => `unknown field "${formatFieldPath(path)}"`);
  if (unknown.length === 0) return;
  if (fieldValidation === 'Warn') return unknown.forEach(warn);
  const where = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}`;
  throw badRequest(`${where}: strict decoding error: ${unknown.join(', ')}`);
}

/** Returns every member that the shape does not have. */
export function unknownFields(shape: Shape, value: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (typeof shape === 'string' || value === null || value === undefined) return [];
  if ('list' in shape) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => unknownFields(shape.list, item, [...path, index]));
  }
  if (!isMembers(value)) return [];
  const members = Object.entries(value);
  if ('map' in shape) return members.flatMap(([key, member]) => unknownFields(shape.map, member, [...path, key]));
  return members.flatMap(([name, member]) => {
    const known = shape.object.get(name);
    return known === undefined ? [[...path, name]] : unknownFields(known, member, [...path, name]);
  });
}
