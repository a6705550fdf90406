import { KUBERNETES_MAJOR, KUBERNETES_MINOR, KUBERNETES_VERSION } from '../../kube/kubernetes-version.ts';

/**
 * The version of Kubernetes whose kubelet this agent stands in for. Tools compare it with the API server's version. The
 * part after the plus names this agent and is ignored in comparisons (Semantic Versioning 2.0.0, item 10).
 */
export const kubeletVersion = `${KUBERNETES_VERSION}+hivelet`;

/** The minor version, as in the agent's names for itself: `kube-probe/1.36`. */
export const kubeletMinorVersion = `${KUBERNETES_MAJOR}.${KUBERNETES_MINOR}`;
