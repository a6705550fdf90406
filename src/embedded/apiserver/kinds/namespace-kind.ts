import { conditions } from '../../../kube/manifest/conditions-shape.ts';
import { list, object } from '../../../kube/manifest/decode-shape.ts';
import { membersOf, withMetadata } from '../store/api-object.ts';
import { forbidden } from '../store/refusal.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

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
      // Members of a status are unknown; checked below.
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
    refuseDelete: ({ metadata: { name } }) => {
      if (!IMMORTAL.has(name)) return;
      throw forbidden({ group: '', resource: 'namespaces', name }, 'this namespace may not be deleted');
    },
  },
});
