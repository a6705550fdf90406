import {
  whyNoDnsLabel,
  whyNoDnsSubdomain,
  whyNoLabelValue,
  whyNoQualifiedName,
} from '../../../kube/validation/name-rules.ts';
import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { ACCESS_GROUP } from '../access/access-group.ts';
import { forbiddenField, invalidValue } from './field-causes.ts';
import type { StatusCause } from './refusal.ts';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** A terminating object accepts no new finalizers. */
export function metadataUpdateProblems({ metadata }: ApiObject, old: ApiObject): readonly StatusCause[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const before = new Set(old.metadata.finalizers);
  const added = (metadata.finalizers ?? []).filter((each) => !before.has(each));
  if (added.length === 0) return [];
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  return [forbiddenField('metadata.finalizers', why)];
}

/** Finalizers that need no domain before their name. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerProblems({ finalizers = [] }: ApiObject['metadata']): readonly StatusCause[] {
  return finalizers.flatMap((each, index) => {
    const field = `metadata.finalizers[${index}]`;
    const why = whyNoQualifiedName(each);
    if (why !== undefined) return [invalidValue('metadata.finalizers', each, why)];
    if (each.includes('/') || STANDARD_FINALIZERS.has(each)) return [];
    return [invalidValue(field, each, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

function nameRule({ group, storedAs }: ApiKind): (name: string) => string | undefined {
  if (storedAs === 'namespaces' || storedAs === 'services') return whyNoDnsLabel;
  // The name of a signer's bundle begins with the signer's name, `/` written as `:`.
  if (storedAs === 'clustertrustbundles.certificates.k8s.io')
    return (name) =>
      name
        .split(':')
        .map(whyNoDnsSubdomain)
        .find((why) => why !== undefined);
  return group === ACCESS_GROUP ? whyNoStep : whyNoDnsSubdomain;
}

/** A name that only has to be a valid path segment, such as those of roles (`system:node`). */
function whyNoStep(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const [found] = /[/%]/.exec(name) ?? [];
  return found === undefined ? undefined : `may not contain '${found}'`;
}

/**
 * Returns the problems of an object's name, labels and annotations. Pods have the same rules in their own
 * validation.
 */
export function metadataProblems(kind: ApiKind, { metadata }: ApiObject): readonly StatusCause[] {
  const causes: StatusCause[] = [...finalizerProblems(metadata)];
  if (kind.kind === 'Pod' && kind.group === '') return causes;
  const add = (field: string, value: string, why: string | undefined): void => {
    if (why !== undefined) causes.push(invalidValue(field, value, why));
  };
  add('metadata.name', metadata.name, nameRule(kind)(metadata.name));
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
