/** The kubelet's own. In a file of its own: it is asked for before anything else of the program is loaded. */
export const defaultRootDir = '/var/lib/kubelet';
