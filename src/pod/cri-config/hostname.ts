import type { Pod } from '../../kube/pod.ts';
import { trimEndOf } from '../../kube/text/trim-run.ts';

const LONGEST = 63;
/** The kernel's own limit for the name of a host. */
const LONGEST_FQDN = 64;

export interface PodHostname {
  /** What the hosts file calls the pod. */
  readonly short: string;
  /** Empty where the pod has no name in a service's domain. */
  readonly domain: string;
  /** What the pod's UTS namespace is named. */
  readonly hostname: string;
}

export type HostnameOutcome =
  { readonly ok: true; readonly name: PodHostname } | { readonly ok: false; readonly message: string };

/**
 * What a pod is called inside. Its own name where it gives no other, cut to a legal length; `hostnameOverride` (KEP-4762)
 * stands alone, without a domain.
 */
export function podHostname(pod: Pod, clusterDomain: string): HostnameOutcome {
  const { hostname, hostnameOverride, subdomain, setHostnameAsFQDN } = pod.spec;
  if (hostnameOverride) {
    if (hostnameOverride.length > LONGEST_FQDN) {
      return {
        ok: false,
        message: `hostnameOverride ${hostnameOverride} is too long (${LONGEST_FQDN} characters is the max)`,
      };
    }
    return { ok: true, name: { short: hostnameOverride, domain: '', hostname: hostnameOverride } };
  }
  const short = shortened(hostname || pod.metadata.name);
  if (short === '')
    return { ok: false, message: `hostname for pod ${pod.metadata.name} is invalid: nothing is left of it` };
  const domain = subdomain ? `${subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}` : '';
  if (setHostnameAsFQDN !== true || domain === '') return { ok: true, name: { short, domain, hostname: short } };

  const fqdn = `${short}.${domain}`;
  if (fqdn.length > LONGEST_FQDN) {
    const message =
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long ` +
      `(${LONGEST_FQDN} characters is the max, ${fqdn.length} characters requested)`;
    return { ok: false, message };
  }
  return { ok: true, name: { short, domain, hostname: fqdn } };
}

const shortened = (name: string): string => (name.length <= LONGEST ? name : trimEndOf(name.slice(0, LONGEST), '-.'));
