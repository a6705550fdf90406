import type { ApiObject } from '../api-object.ts';
import { membersOf, textOf } from '../api-object.ts';
import { clusterRoleBindingKind, clusterRoleKind, roleBindingKind, roleKind } from '../kinds/access-kinds.ts';
import { keyOf, type ObjectStore } from '../object-store.ts';
import type { Policy, PolicyRule, Role, RoleBinding, Subject } from './judge-access.ts';

/** The roles and bindings that are stored now. Shapes were checked when they were written. */
export function storedPolicy(store: ObjectStore): Policy {
  return {
    role(namespace, name) {
      const kind = namespace === undefined ? clusterRoleKind : roleKind;
      const role = store.collection(kind.storedAs).get(keyOf(namespace, name));
      return role && roleOf(role);
    },
    *bindings() {
      for (const kind of [clusterRoleBindingKind, roleBindingKind]) {
        for (const binding of store.collection(kind.storedAs).inOrderOfCreation()) yield bindingOf(binding);
      }
    },
  };
}

const roleOf = ({ metadata, ...role }: ApiObject): Role => ({
  name: metadata.name,
  namespace: metadata.namespace,
  rules: (role['rules'] ?? []) as readonly PolicyRule[],
});

function bindingOf(binding: ApiObject): RoleBinding {
  const { kind, name } = membersOf(binding, 'roleRef');
  return {
    name: binding.metadata.name,
    namespace: binding.metadata.namespace,
    role: { kind: textOf(kind), name: textOf(name) },
    subjects: (binding['subjects'] ?? []) as readonly Subject[],
  };
}
