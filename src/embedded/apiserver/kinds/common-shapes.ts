import { list, map, object } from '../../../kube/manifest/decode-shape.ts';
import type { Shape } from '../../../kube/manifest/decode-shape.ts';

export const ownerReference = object({
  apiVersion: 'string',
  kind: 'string',
  name: 'string',
  uid: 'string',
  controller: 'bool',
  blockOwnerDeletion: 'bool',
});

export const metadataShape = object({
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'int',
  labels: map('string'),
  annotations: map('string'),
  ownerReferences: list(ownerReference),
  finalizers: list('string'),
  managedFields: list(
    object({
      manager: 'string',
      operation: 'string',
      apiVersion: 'string',
      time: 'string',
      fieldsType: 'string',
      fieldsV1: 'any',
      subresource: 'string',
    }),
  ),
});

/** The shape of an object with the members that every object has. */
export const topLevel = (members: Readonly<Record<string, Shape>>): Shape =>
  object({ apiVersion: 'string', kind: 'string', metadata: metadataShape, ...members });

export const objectReference = object({
  apiVersion: 'string',
  kind: 'string',
  namespace: 'string',
  name: 'string',
  uid: 'string',
  resourceVersion: 'string',
  fieldPath: 'string',
});

export const localReference = object({ name: 'string' });

export const labelSelector = object({
  matchLabels: map('string'),
  matchExpressions: list(object({ key: 'string', operator: 'string', values: list('string') })),
});
