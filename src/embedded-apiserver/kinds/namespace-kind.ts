import { list, object } from '../../kube/decode-shape.ts';
import { membersOf, withMetadata } from '../api-object.ts';
import { conditions, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

export const namespaceKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  resource: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  shape: topLevel({
    spec: object({ finalizers: list('string') }),
    status: object({ phase: 'string', conditions }),
  }),
  hasStatus: true,
  fields: {
    'status.phase': (namespace) => {
      const { phase } = membersOf(namespace, 'status') as { readonly phase?: unknown };
      return typeof phase === 'string' ? phase : '';
    },
  },
  rules: {
    prepareCreate: (namespace) => ({
      ...withMetadata(namespace, {
        labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name },
      }),
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }),
    prepareUpdate: (namespace, old) => ({ ...namespace, spec: old.spec }),
  },
});
