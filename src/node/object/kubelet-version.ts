import { KUBERNETES_MAJOR, KUBERNETES_MINOR, KUBERNETES_VERSION } from '../../kube/kubernetes-version.ts';

/**
 * The version of Kubernetes whose kubelet this agent stands in for. Tools compare it with that of the API server; what
 * stands behind the plus says who is there, and counts for no comparison (Semantic Versioning 2.0.0, item 10).
 */
export const kubeletVersion = `${KUBERNETES_VERSION}+hivelet`;

/** Its minor version, as in the names that it calls itself by: `kube-probe/1.36`. */
export const kubeletMinorVersion = `${KUBERNETES_MAJOR}.${KUBERNETES_MINOR}`;
