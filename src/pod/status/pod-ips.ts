/** IPv6 or IPv4, by the only character that tells. */
export const isIpv6 = (ip: string): boolean => ip.includes(':');

/** At most one address of each family, the node's primary family first: what a pod status may show. */
export function podIpsOf(ips: readonly string[], hostIps: readonly string[]): readonly string[] {
  const primary = hostIps[0] ?? ips[0];
  if (primary === undefined) return [];
  const first = ips.find((ip) => isIpv6(ip) === isIpv6(primary));
  const second = ips.find((ip) => isIpv6(ip) !== isIpv6(primary));
  return [first, second].filter((ip) => ip !== undefined);
}

/**
 * A host network pod has the node's addresses. The first, once set, stays; a node that becomes dual-stack adds the second.
 */
export function hostNetworkPodIps(ips: readonly string[], hostIps: readonly string[]): readonly string[] {
  const [first] = ips.length > 0 ? ips : hostIps;
  if (first === undefined) return [];
  const second = [...ips.slice(1), ...hostIps].find((ip) => isIpv6(ip) !== isIpv6(first));
  return second === undefined ? [first] : [first, second];
}
