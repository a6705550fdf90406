/** The group of the API in which roles are. */
export const ACCESS_GROUP = 'rbac.authorization.k8s.io';

/** Where roles and bindings are kept. */
export const roleResources = {
  clusterRoles: `clusterroles.${ACCESS_GROUP}`,
  clusterRoleBindings: `clusterrolebindings.${ACCESS_GROUP}`,
  roles: `roles.${ACCESS_GROUP}`,
  roleBindings: `rolebindings.${ACCESS_GROUP}`,
} as const;
