import { whyNoDnsLabel, whyNoDnsSubdomain, whyNoLabelValue, whyNoQualifiedName } from '../kube/name-rules.ts';
import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { invalidValue } from './field-causes.ts';
import type { StatusCause } from './refusal.ts';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** What is wrong with an object's name, labels and annotations. Pods have rules of their own, which say the same. */
export function metadataProblems(kind: ApiKind, { metadata }: ApiObject): readonly StatusCause[] {
  if (kind.kind === 'Pod' && kind.group === '') return [];
  const causes: StatusCause[] = [];
  const add = (field: string, value: string, why: string | undefined): void => {
    if (why !== undefined) causes.push(invalidValue(field, value, why));
  };
  const nameRule = kind.storedAs === 'namespaces' || kind.storedAs === 'services' ? whyNoDnsLabel : whyNoDnsSubdomain;
  add('metadata.name', metadata.name, nameRule(metadata.name));
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    add('metadata.labels', key, whyNoQualifiedName(key));
    add('metadata.labels', value, whyNoLabelValue(value));
  }
  let bytes = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    add('metadata.annotations', key, whyNoQualifiedName(key.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATIONS_BYTES) {
    const message = `Too long: may not be more than ${MAX_ANNOTATIONS_BYTES} bytes`;
    causes.push({ reason: 'FieldValueTooLong', message, field: 'metadata.annotations' });
  }
  return causes;
}
