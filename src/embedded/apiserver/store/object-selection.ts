import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** Which objects of a kind somebody wants to see. */
export interface Selection {
  readonly matches: (object: ApiObject) => boolean;
  /** Whether anything but the namespace is asked. */
  readonly isSelective: boolean;
  /** The one name that is asked for, if it is so. */
  readonly name: string | undefined;
}

export function selectionOf(
  kind: ApiKind,
  {
    namespace,
    name,
    query,
  }: { readonly namespace: string | undefined; readonly name?: string | undefined; readonly query: URLSearchParams },
): Selection {
  const labels = query.get('labelSelector') ?? undefined;
  const fields = query.get('fieldSelector') ?? undefined;
  const byLabel = parseLabelSelector(labels);
  const byField = parseFieldSelector(fields, kind.fields);
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      byField.matches(object) &&
      byLabel(object.metadata.labels),
    isSelective: Boolean(labels) || Boolean(fields) || name !== undefined,
    name: name ?? byField.name,
  };
}

/** The object as this version of it is shown. */
export const shown = (kind: ApiKind, object: ApiObject): ApiObject => kind.view?.show(object) ?? object;
