import type { ObjectMeta, ResourceList } from './pod.ts';

/** The Node object as the API writes it (core/v1): the fields that the node itself reads or writes. */
export interface Node {
  readonly apiVersion: 'v1';
  readonly kind: 'Node';
  readonly metadata: NodeMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export type NodeMeta = Omit<ObjectMeta, 'namespace' | 'uid'> & { readonly uid?: string };

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly NodeTaint[];
}

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
  readonly nodeInfo?: NodeSystemInfo;
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly { readonly name: string; readonly devicePath: string }[];
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: { readonly supplementalGroupsPolicy?: boolean };
  readonly declaredFeatures?: readonly string[];
}

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastHeartbeatTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeAddress {
  readonly type: 'InternalIP' | 'ExternalIP' | 'Hostname' | 'InternalDNS' | 'ExternalDNS';
  readonly address: string;
}

export interface NodeSystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  /** No longer filled in, but still required by the API. */
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swap?: { readonly capacity: number };
}

export interface ContainerImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

export interface NodeRuntimeHandler {
  /** The default handler's name is empty. */
  readonly name: string;
  readonly features?: { readonly recursiveReadOnlyMounts?: boolean; readonly userNamespaces?: boolean };
}
