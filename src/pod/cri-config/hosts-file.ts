import type { HostAlias } from '../../kube/pod.ts';
import type { PodHostname } from './hostname.ts';

const LOOPBACK_LINES = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** Returns the hosts file of a pod with its own network: the pod's own names, and the aliases of its spec. */
export function podHostsFile(
  name: PodHostname,
  podIps: readonly string[],
  aliases: readonly HostAlias[] | undefined,
): string {
  const names = name.domain === '' ? name.short : `${name.short}.${name.domain}\t${name.short}`;
  const lines = ['# Kubernetes-managed hosts file.', ...LOOPBACK_LINES, ...podIps.map((ip) => `${ip}\t${names}`)];
  return `${lines.join('\n')}\n${aliasLines(aliases)}`;
}

/** Returns the hosts file of a host network pod: the host's file, and the aliases of the pod's spec. */
export const hostNetworkHostsFile = (hostFile: string, aliases: readonly HostAlias[] | undefined): string =>
  `# Kubernetes-managed hosts file (host network).\n${hostFile}${aliasLines(aliases)}`;

function aliasLines(aliases: readonly HostAlias[] | undefined): string {
  if (aliases === undefined || aliases.length === 0) return '';
  const lines = aliases.map(({ ip, hostnames }) => [ip, ...(hostnames ?? [])].join('\t'));
  return `\n# Entries added by HostAliases.\n${lines.join('\n')}\n`;
}
