/** The version that this server reports: the release whose API it follows. */
export const serverVersion = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+hivelet',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
} as const;
