import { KUBERNETES_MAJOR, KUBERNETES_MINOR, KUBERNETES_VERSION } from '../../../kube/kubernetes-version.ts';

/** The version that this server reports: the release whose API it follows. */
export const serverVersion = {
  major: KUBERNETES_MAJOR,
  minor: KUBERNETES_MINOR,
  gitVersion: `${KUBERNETES_VERSION}+hivelet`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
} as const;
