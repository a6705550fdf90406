import type { Pod } from '../../kube/pod.ts';
import { trimEndOf } from '../../kube/text/trim-run.ts';

const LONGEST = 63;
/** The kernel's limit for a host name. */
const LONGEST_FQDN = 64;

export interface PodHostname {
  /** The pod's name in its hosts file. */
  readonly short: string;
  /** Empty when the pod has no name in a service's domain. */
  readonly domain: string;
  /** The host name of the pod's UTS namespace. */
  readonly hostname: string;
}

export type HostnameOutcome =
  { readonly ok: true; readonly name: PodHostname } | { readonly ok: false; readonly message: string };

/**
 * Returns the pod's host name as its containers see it. The default is the pod's name, cut to a legal length.
 * `hostnameOverride` (KEP-4762) is used alone, without a domain.
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
