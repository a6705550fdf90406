import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { withoutKind } from './in-process-transport.ts';

/**
 * The JSON of stored objects, made once and shared by all lists and watches. Stored objects never change, and their
 * text is dropped with them.
 */
const encodedItems = new WeakMap<object, string>();

/** An item of a list: the object without its kind. */
function encodeItem(object: ApiObject): string {
  let text = encodedItems.get(object);
  if (text === undefined) encodedItems.set(object, (text = JSON.stringify(withoutKind(object))));
  return text;
}

export function encodeObject(object: ApiObject): string {
  const { kind, apiVersion } = object;
  const item = encodeItem(object);
  const head = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
  return item === '{}' ? `${head}}` : `${head},${item.slice(1)}`;
}

export function encodeList(
  kind: ApiKind,
  { metadata, items }: { readonly metadata: object; readonly items: readonly ApiObject[] },
): string {
  const head = `{"kind":"${kind.kind}List","apiVersion":"${apiVersionOf(kind)}","metadata":${JSON.stringify(metadata)}`;
  return `${head},"items":[${items.map(encodeItem).join(',')}]}\n`;
}
