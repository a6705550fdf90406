import type { KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { membersOf, textOf } from '../store/api-object.ts';
import { roleResources } from './access-group.ts';
import type { Policy, PolicyRule, Role, RoleBinding, Subject } from './judge-access.ts';

/** The stored roles and bindings. Their shapes were checked when they were written. */
export function policyFrom({ get, list }: Pick<KindContext, 'get' | 'list'>): Policy {
  return {
    role(namespace, name) {
      const role = get(namespace === undefined ? roleResources.clusterRoles : roleResources.roles, namespace, name);
      return role && roleOf(role);
    },
    *bindings() {
      for (const resource of [roleResources.clusterRoleBindings, roleResources.roleBindings]) {
        for (const binding of list(resource)) yield bindingOf(binding);
      }
    },
  };
}

export const roleOf = ({ metadata, ...role }: ApiObject): Role => ({
  name: metadata.name,
  namespace: metadata.namespace,
  // The shape of stored roles has been checked.
  rules: (role['rules'] ?? []) as readonly PolicyRule[],
});

export function bindingOf(binding: ApiObject): RoleBinding {
  const { kind, name } = membersOf(binding, 'roleRef');
  return {
    name: binding.metadata.name,
    namespace: binding.metadata.namespace,
    role: { kind: textOf(kind), name: textOf(name) },
    // The shape of stored bindings has been checked.
    subjects: (binding['subjects'] ?? []) as readonly Subject[],
  };
}
