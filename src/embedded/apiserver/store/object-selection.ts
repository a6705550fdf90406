import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** The selected objects of a kind. */
export interface Selection {
  readonly matches: (object: ApiObject) => boolean;
  /** `true` if more than the namespace is selected. */
  readonly isSelective: boolean;
  /** The requested name, if the selection names one object. */
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

/** Returns the object as this version shows it. */
export const shown = (kind: ApiKind, object: ApiObject): ApiObject => kind.view?.show(object) ?? object;
