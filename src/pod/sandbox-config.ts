import { PodSandboxConfig, Protocol } from '../cri/gen/api.ts';
import type { PortMapping } from '../cri/gen/api.ts';
import type { Pod } from '../kube/pod.ts';
import { sysctlName } from '../kube/sysctl-name.ts';
import { podCgroupParent } from '../node/cgroup-path.ts';
import type { NodeFacts } from '../node/node-facts.ts';
import { podDns } from './dns.ts';
import type { ConfigWarning } from './dns.ts';
import { podHostname } from './hostname.ts';
import { sandboxOverhead, sandboxResources } from './linux-resources.ts';
import { namespaceOptions } from './namespaces.ts';
import type { UserNamespaceIds } from './namespaces.ts';
import { podLabels } from './pod-labels.ts';
import { podLogDirectory } from './pod-paths.ts';
import { qosClass } from './qos.ts';
import { sandboxSecurityContext } from './security-context.ts';
import type { VolumeGroups } from './security-context.ts';

export interface SandboxConfigInput {
  readonly pod: Pod;
  /** 0 for a pod's first sandbox, then one more than that of the last. */
  readonly attempt: number;
  readonly node: NodeFacts;
  /** The ids of the pod's user namespace; needed exactly where `hostUsers` is false. */
  readonly userIds?: UserNamespaceIds | undefined;
  readonly volumeGroups?: VolumeGroups;
}

export type SandboxConfigOutcome =
  | { readonly ok: true; readonly config: PodSandboxConfig; readonly warnings: readonly ConfigWarning[] }
  | { readonly ok: false; readonly reason: 'CreatePodSandboxError'; readonly message: string };

/** In bytes; the same in all file systems that matter here. A legal namespace, name and UID together can have more. */
const LONGEST_FILE_NAME = 255;

/** What the runtime is asked to make a pod's sandbox from. The same pod, attempt and node give the same answer. */
export function sandboxConfig(input: SandboxConfigInput): SandboxConfigOutcome {
  const { pod, attempt, node, userIds, volumeGroups = [] } = input;
  const { metadata, spec } = pod;
  const hostname = podHostname(pod, node.clusterDomain);
  if (!hostname.ok) return { ok: false, reason: 'CreatePodSandboxError', message: hostname.message };
  if (spec.hostUsers === false && userIds === undefined) {
    return { ok: false, reason: 'CreatePodSandboxError', message: 'the pod has no ids for its user namespace' };
  }
  const logDirectory = podLogDirectory(node.podLogsDir, pod);
  if (Buffer.byteLength(logDirectory.slice(logDirectory.lastIndexOf('/') + 1)) > LONGEST_FILE_NAME) {
    return { ok: false, reason: 'CreatePodSandboxError', message: `mkdir ${logDirectory}: file name too long` };
  }
  const { dns, warnings } = podDns(pod, node);
  const config = PodSandboxConfig.fromPartial({
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid, attempt },
    // A host network pod keeps the host's name.
    hostname: spec.hostNetwork === true ? '' : hostname.name.hostname,
    logDirectory,
    dnsConfig: { servers: [...dns.servers], searches: [...dns.searches], options: [...dns.options] },
    portMappings: portMappings(pod),
    labels: { ...metadata.labels, ...podLabels(pod) },
    annotations: metadata.annotations ?? {},
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

const PROTOCOLS = { TCP: Protocol.TCP, UDP: Protocol.UDP, SCTP: Protocol.SCTP } as const;

/** Every port of the regular containers; of two with the same name in a container the first. */
function portMappings(pod: Pod): PortMapping[] {
  return pod.spec.containers.flatMap(({ ports = [] }) => {
    const names = new Set<string>();
    return ports.flatMap((port) => {
      if (port.name) {
        if (names.has(port.name)) return [];
        names.add(port.name);
      }
      const protocol = PROTOCOLS[port.protocol ?? 'TCP'] ?? Protocol.TCP;
      return { protocol, containerPort: port.containerPort, hostPort: port.hostPort ?? 0, hostIp: port.hostIP ?? '' };
    });
  });
}
