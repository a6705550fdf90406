/** `true` for IPv6: only its addresses contain a colon. */
export const isIpv6 = (ip: string): boolean => ip.includes(':');

/** Returns the addresses that a pod status may show: at most one of each family, the node's primary family first. */
export function podIpsOf(ips: readonly string[], hostIps: readonly string[]): readonly string[] {
  const primary = hostIps[0] ?? ips[0];
  if (primary === undefined) return [];
  const first = ips.find((ip) => isIpv6(ip) === isIpv6(primary));
  const second = ips.find((ip) => isIpv6(ip) !== isIpv6(primary));
  return [first, second].filter((ip) => ip !== undefined);
}

/**
 * Returns the node's addresses for a host network pod. The first address stays once set; a node that becomes dual-stack
 * adds the second.
 */
export function hostNetworkPodIps(ips: readonly string[], hostIps: readonly string[]): readonly string[] {
  const [first] = ips.length > 0 ? ips : hostIps;
  if (first === undefined) return [];
  const second = [...ips.slice(1), ...hostIps].find((ip) => isIpv6(ip) !== isIpv6(first));
  return second === undefined ? [first] : [first, second];
}
