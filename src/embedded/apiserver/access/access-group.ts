/** The API group of roles. */
export const ACCESS_GROUP = 'rbac.authorization.k8s.io';

/** The resources of roles and bindings. */
export const roleResources = {
  clusterRoles: `clusterroles.${ACCESS_GROUP}`,
  clusterRoleBindings: `clusterrolebindings.${ACCESS_GROUP}`,
  roles: `roles.${ACCESS_GROUP}`,
  roleBindings: `rolebindings.${ACCESS_GROUP}`,
} as const;
