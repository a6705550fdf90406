import type { ApiKind } from '../store/api-kind.ts';
import { qualifiedResource } from '../store/api-kind.ts';
import { metadataFields } from '../store/field-selector.ts';

type Given = Pick<ApiKind, 'group' | 'version' | 'kind' | 'resource' | 'namespaced' | 'shape'> &
  Partial<Omit<ApiKind, 'group' | 'version' | 'kind' | 'resource' | 'namespaced' | 'shape'>>;

/** Completes a kind from its particulars. */
export function defineKind(given: Given): ApiKind {
  return {
    singular: given.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    hasStatus: false,
    hasGeneration: false,
    rules: {},
    storedAs: qualifiedResource(given.group, given.resource),
    createsOnUpdate: false,
    needsRevision: false,
    ...given,
    fields: { ...metadataFields, ...given.fields },
  };
}
