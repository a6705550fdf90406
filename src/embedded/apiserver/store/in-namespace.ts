import type { ApiObject } from './api-object.ts';
import { badRequest } from './refusal.ts';

/**
 * Returns the object in the namespace of its path, or in none. Throws a `Refusal` if the object names another
 * namespace.
 */
export function inNamespace(object: ApiObject, namespace: string | undefined): ApiObject {
  const given = object.metadata.namespace;
  if (namespace !== undefined && given !== undefined && given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}
