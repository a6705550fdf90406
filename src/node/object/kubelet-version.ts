/**
 * The version of Kubernetes whose kubelet this agent stands in for. Tools compare it with that of the API server; what
 * stands behind the plus says who is there, and counts for no comparison (Semantic Versioning 2.0.0, item 10).
 */
export const kubeletVersion = 'v1.36.2+hivelet';

/** Its minor version, as in the names that it calls itself by: `kube-probe/1.36`. */
export const kubeletMinorVersion = kubeletVersion.slice(
  1,
  kubeletVersion.lastIndexOf('.', kubeletVersion.indexOf('+')),
);
