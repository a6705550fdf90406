/** The group of the API in which roles are. */
export const ACCESS_GROUP = 'rbac.authorization.k8s.io';
