/** The release of Kubernetes whose kubelet and API this project follows. */
export const KUBERNETES_VERSION = 'v1.36.2';

const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
export const KUBERNETES_MAJOR: string = major;
export const KUBERNETES_MINOR: string = minor;
