import { entriesOf, keyed } from '../../kube/text/own.ts';
import { PodSandboxConfig, Protocol } from '../../cri/gen/api.ts';
import type { PortMapping } from '../../cri/gen/api.ts';
import type { Pod } from '../../kube/pod.ts';
import { sysctlName } from '../../kube/sysctl-name.ts';
import { podCgroupParent } from '../../node/resources/cgroup-path.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { podDns } from './dns.ts';
import type { ConfigWarning } from './dns.ts';
import { podHostname } from './hostname.ts';
import { sandboxOverhead, sandboxResources } from './linux-resources.ts';
import { namespaceOptions } from './namespaces.ts';
import type { UserNamespaceIds } from './namespaces.ts';
import { podLabels } from '../values/pod-labels.ts';
import { podLogDirectory } from '../values/pod-log-path.ts';
import { qosClass } from '../values/qos.ts';
import { sandboxSecurityContext } from './security-context.ts';
import type { VolumeGroups } from './security-context.ts';

export interface SandboxConfigInput {
  readonly pod: Pod;
  /** 0 for a pod's first sandbox; each later sandbox has the previous attempt plus one. */
  readonly attempt: number;
  readonly node: NodeFacts;
  /** The ids of the pod's user namespace; required exactly when `hostUsers` is false. */
  readonly userIds?: UserNamespaceIds | undefined;
  readonly volumeGroups?: VolumeGroups;
}

export type SandboxConfigOutcome =
  | { readonly ok: true; readonly config: PodSandboxConfig; readonly warnings: readonly ConfigWarning[] }
  | { readonly ok: false; readonly reason: 'CreatePodSandboxError'; readonly message: string };

/** Returns the runtime's sandbox configuration of a pod. The same pod, attempt and node give the same result. */
export function sandboxConfig(input: SandboxConfigInput): SandboxConfigOutcome {
  const { pod, attempt, node, userIds, volumeGroups = [] } = input;
  const { metadata, spec } = pod;
  const refuse = (message: string): SandboxConfigOutcome => ({ ok: false, reason: 'CreatePodSandboxError', message });
  const hostname = sandboxHostname(pod, node);
  if (!hostname.ok) return refuse(hostname.message);
  if (spec.hostUsers === false && userIds === undefined) return refuse('the pod has no ids for its user namespace');
  const logs = podLogDirectory(metadata);
  const logDirectory = `${node.podLogsDir}/${logs.name}`;
  if (!logs.ok) return refuse(`mkdir ${logDirectory}: ${logs.message}`);
  const { dns, warnings } = podDns(pod, node);
  const config = PodSandboxConfig.fromPartial({
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid, attempt },
    hostname: hostname.hostname,
    logDirectory,
    dnsConfig: { servers: [...dns.servers], searches: [...dns.searches], options: [...dns.options] },
    portMappings: portMappings(pod),
    labels: { ...keyed(entriesOf(metadata.labels)), ...podLabels(pod) },
    annotations: keyed(entriesOf(metadata.annotations)),
    linux: {
      cgroupParent: podCgroupParent(metadata.uid, qosClass(pod), node),
      securityContext: sandboxSecurityContext(pod, namespaceOptions(pod, userIds), volumeGroups),
      sysctls: Object.fromEntries(
        (spec.securityContext?.sysctls ?? []).map(({ name, value }) => [sysctlName(name), value]),
      ),
      overhead: sandboxOverhead(pod, node),
      resources: sandboxResources(pod, node),
    },
  });
  return { ok: true, config, warnings };
}

/** A host network pod keeps the host's name, whatever its spec asks for. */
function sandboxHostname(
  pod: Pod,
  { clusterDomain }: NodeFacts,
): { readonly ok: true; readonly hostname: string } | { readonly ok: false; readonly message: string } {
  if (pod.spec.hostNetwork === true) return { ok: true, hostname: '' };
  const outcome = podHostname(pod, clusterDomain);
  return outcome.ok ? { ok: true, hostname: outcome.name.hostname } : outcome;
}

const PROTOCOLS = { TCP: Protocol.TCP, UDP: Protocol.UDP, SCTP: Protocol.SCTP } as const;

/**
 * Returns every port of the regular containers. Within one container, only the first of equally named or equal ports is
 * kept.
 */
function portMappings(pod: Pod): PortMapping[] {
  return pod.spec.containers.flatMap(({ ports = [] }) => {
    const seen = new Set<string>();
    return ports.flatMap(({ name, containerPort, hostPort = 0, hostIP = '', protocol = 'TCP' }) => {
      const known = name || `${protocol}/${hostIP}/${containerPort}/${hostPort}`;
      if (seen.has(known)) return [];
      seen.add(known);
      return { protocol: PROTOCOLS[protocol] ?? Protocol.TCP, containerPort, hostPort, hostIp: hostIP };
    });
  });
}
