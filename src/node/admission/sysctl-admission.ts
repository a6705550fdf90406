import type { Pod } from '../../kube/pod.ts';
import { sysctlName } from '../../kube/sysctl-name.ts';
import type { Rejection } from './admission.ts';

/**
 * Kernel parameters that every pod may set: they are confined to its namespace and harm no other pod (kubelet safe
 * sysctls).
 */
const SAFE: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

/**
 * Returns why the node rejects the pod's kernel parameters. `allowed` lists parameters beside the safe ones; a trailing
 * `*` matches any ending.
 */
export function sysctlRejection({ spec }: Pod, allowed: readonly string[]): Rejection | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemWith(sysctlName(name), spec, allowed);
    if (problem !== undefined) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
  }
  return undefined;
}

function problemWith(name: string, spec: Pod['spec'], allowed: readonly string[]): string | undefined {
  const fits = (pattern: string): boolean =>
    pattern.endsWith('*') ? name.startsWith(sysctlName(pattern.slice(0, -1))) : name === sysctlName(pattern);
  if (!SAFE.includes(name) && !allowed.some(fits)) return `"${name}" not allowlisted`;
  const space = namespaceOf(name);
  const isShared = space === 'Net' ? spec.hostNetwork === true : space === 'IPC' && spec.hostIPC === true;
  return isShared ? `"${name}" not allowed with host ${space} enabled` : undefined;
}

/** Returns the namespace as messages name it. */
function namespaceOf(name: string): 'Net' | 'IPC' | undefined {
  if (name.startsWith('net.')) return 'Net';
  const ipc = ['kernel.shm', 'kernel.msg', 'kernel.sem', 'fs.mqueue.'];
  return ipc.some((prefix) => name.startsWith(prefix)) ? 'IPC' : undefined;
}
