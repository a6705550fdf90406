import type { NodeFacts } from '../../node/object/node-facts.ts';
import type { Pod } from '../../kube/pod.ts';
import { podInMessage } from '../values/pod-paths.ts';

export interface PodDns {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** A warning that becomes an event of the pod. */
export interface ConfigWarning {
  readonly reason: 'DNSConfigForming' | 'MissingClusterDNS';
  readonly message: string;
}

const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const MOST_SEARCH_CHARACTERS = 2048;
/** Names longer than DNS allows make some resolvers fail for every name. */
const LONGEST_DOMAIN = 253;

type DnsFacts = Pick<NodeFacts, 'clusterDNS' | 'clusterDomain' | 'resolvConf' | 'nodeIps'>;

/** Returns the resolver configuration of a pod by its `dnsPolicy` and `dnsConfig`, cut to the limits of resolvers. */
export function podDns(
  pod: Pod,
  node: DnsFacts,
): { readonly dns: PodDns; readonly warnings: readonly ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const { dns: byPolicy, warning } = dnsOfPolicy(pod, node);
  if (warning !== undefined) warnings.push(warning);
  const merged = withDnsConfig(byPolicy, pod.spec.dnsConfig);

  const servers = merged.servers.slice(0, MOST_SERVERS);
  if (servers.length < merged.servers.length) warnings.push(cut(SERVERS_CUT, servers));
  const searches = withinSearchLimits(merged.searches);
  if (searches.length < merged.searches.length) warnings.push(cut(SEARCHES_CUT, searches));
  return { dns: { servers, searches, options: merged.options }, warnings };
}

const SERVERS_CUT = { limit: 'Nameserver', what: 'nameservers', line: 'nameserver' };
const SEARCHES_CUT = { limit: 'Search Line', what: 'search paths', line: 'search' };

const cut = (
  { limit, what, line }: { readonly limit: string; readonly what: string; readonly line: string },
  applied: readonly string[],
): ConfigWarning => ({
  reason: 'DNSConfigForming',
  message: `${limit} limits were exceeded, some ${what} have been omitted, the applied ${line} line is: ${applied.join(' ')}`,
});

function dnsOfPolicy(pod: Pod, node: DnsFacts): { readonly dns: PodDns; readonly warning?: ConfigWarning } {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec;
  if (dnsPolicy === 'None') return { dns: { servers: [], searches: [], options: [] } };
  // A pod on the host's network uses the host's resolver unless its policy asks for the cluster's
  // (`ClusterFirstWithHostNet`).
  const ofHost = dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && hostNetwork === true);
  if (ofHost) return { dns: hostDns(node) };
  if (node.clusterDNS.length === 0) {
    const message =
      `pod: ${podInMessage(pod)}. kubelet does not have ClusterDNS IP configured and cannot create Pod using ` +
      '"ClusterFirst" policy. Falling back to "Default" policy.';
    return { dns: hostDns(node), warning: { reason: 'MissingClusterDNS', message } };
  }
  const { clusterDomain } = node;
  const host = parseResolvConf(node.resolvConf ?? '');
  const services = [`${pod.metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return {
    dns: {
      servers: node.clusterDNS,
      searches: clusterDomain === '' ? host.searches : unique([...services, ...host.searches]),
      options: ['ndots:5'],
    },
  };
}

function hostDns(node: DnsFacts): PodDns {
  if (node.resolvConf !== undefined) return parseResolvConf(node.resolvConf);
  // The node is configured to use no resolv.conf: use the resolver that every host has, and search only the root.
  const loopbacks = unique(node.nodeIps.map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1')));
  return { servers: loopbacks.length === 0 ? ['127.0.0.1'] : loopbacks, searches: ['.'], options: [] };
}

/**
 * Parses resolver configuration (resolv.conf(5)). The last `search` line counts, without a lone dot; options add up.
 */
export function parseResolvConf(text: string): PodDns {
  const servers: string[] = [];
  let searches: readonly string[] = [];
  const options: string[] = [];
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.split(/[#;]/, 1)[0]?.trim().split(/\s+/) ?? [];
    const [first] = values;
    if (keyword === 'nameserver' && first !== undefined) servers.push(first);
    // `search .` makes musl's resolver fail for every name.
    if (keyword === 'search') {
      searches = unique(values.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''));
    }
    if (keyword === 'options') options.push(...values);
  }
  return { servers, searches, options: lastOfEach(options) };
}

/** Returns why a host's search line exceeds the limits for pods, in words that follow the file's name. */
export function searchLineProblem(resolvConf: string): string | undefined {
  const { searches } = parseResolvConf(resolvConf);
  if (searches.length > MOST_SEARCHES) return `has more than ${MOST_SEARCHES} domains`;
  const characters = searches.join(' ').length;
  return characters > MOST_SEARCH_CHARACTERS ? `is longer than ${MOST_SEARCH_CHARACTERS} characters` : undefined;
}

function withDnsConfig(dns: PodDns, config: Pod['spec']['dnsConfig']): PodDns {
  if (config === undefined) return dns;
  const byName = new Map(dns.options.map((option) => [optionName(option), option]));
  for (const { name = '', value } of config.options ?? []) byName.set(name, value ? `${name}:${value}` : name);
  return {
    servers: unique([...dns.servers, ...(config.nameservers ?? [])]),
    searches: unique([...dns.searches, ...(config.searches ?? [])]),
    options: [...byName.values()],
  };
}

const optionName = (option: string): string => option.split(':', 1)[0] ?? option;

/** Later options replace earlier ones of the same name (the part before the colon). */
const lastOfEach = (options: readonly string[]): readonly string[] => [
  ...new Map(options.map((option) => [optionName(option), option])).values(),
];

function withinSearchLimits(searches: readonly string[]): readonly string[] {
  const within: string[] = [];
  let characters = 0;
  for (const domain of searches.slice(0, MOST_SEARCHES)) {
    if (domain.length > LONGEST_DOMAIN) continue;
    characters += domain.length + (within.length === 0 ? 0 : 1);
    if (characters > MOST_SEARCH_CHARACTERS) break;
    within.push(domain);
  }
  return within;
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
