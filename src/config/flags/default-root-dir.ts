/** The kubelet's default. It has a file of its own, because it is needed before the rest of the program is loaded. */
export const defaultRootDir = '/var/lib/kubelet';
