import { isIP } from 'node:net';
import type { ConfigValue } from '../fields/config-value.ts';
import { isTree } from '../fields/config-value.ts';
import { parseGoDuration } from '../../kube/text/go-duration.ts';
import { defaultRootDir } from './default-root-dir.ts';
import { isDnsSubdomain, isLabelValue, isQualifiedName } from '../check/value-checks.ts';

/** Options that only flags set and no field of the configuration file. */
export interface KubeletOptions {
  /** The configuration file; `null` when there is none. */
  readonly config: string | null;
  /** The folder of drop-in files; `null` when there is none. */
  readonly configDir: string | null;
  /** `null` makes a standalone agent, which runs static pods only. */
  readonly kubeconfig: string | null;
  /** The kubeconfig that requests a client certificate when `kubeconfig` does not exist. */
  readonly bootstrapKubeconfig: string | null;
  /** The name of the node. `null` means the host's name. */
  readonly hostnameOverride: string | null;
  /** At most one address of each family. */
  readonly nodeIps: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** `external`: a cloud controller sets the addresses of the node. Empty: no controller does. */
  readonly cloudProvider: string;
  readonly rootDir: string;
  readonly certDir: string;
  readonly deadContainers: DeadContainersKept;
  /**
   * File or folder of the configuration of credential providers, and the folder of their programs. Both are set, or
   * neither.
   */
  readonly credentialProviderConfig: string | null;
  readonly credentialProviderBinDir: string | null;
  /** A file that only one agent may hold. `null` when there is none. */
  readonly lockFile: string | null;
  /** `true` if the agent ends when another process wants the lock file. */
  readonly exitOnLockContention: boolean;
}

/** How many dead containers are kept. */
export interface DeadContainersKept {
  /** Younger dead containers are kept. */
  readonly minAgeMs: number;
  /** Per container of a running pod; at least one. */
  readonly perContainer: number;
  /** On the whole node. Negative means no limit. */
  readonly onNode: number;
}

export const defaultOptions: KubeletOptions = {
  config: null,
  configDir: null,
  kubeconfig: null,
  bootstrapKubeconfig: null,
  hostnameOverride: null,
  nodeIps: [],
  nodeLabels: {},
  cloudProvider: '',
  rootDir: defaultRootDir,
  certDir: '/var/lib/kubelet/pki',
  deadContainers: { minAgeMs: 0, perContainer: 1, onNode: -1 },
  credentialProviderConfig: null,
  credentialProviderBinDir: null,
  lockFile: null,
  exitOnLockContention: false,
};

export type OptionResult =
  { readonly ok: true; readonly options: KubeletOptions } | { readonly ok: false; readonly expected: string };

// Labels in Kubernetes' own namespaces that a node may set on itself. Only the control plane may set the others.
const ownLabels = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];
const ownNamespaces = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const isIn = (namespace: string, parent: string): boolean => namespace === parent || namespace.endsWith(`.${parent}`);

/** `true` if a node may set this label on itself (NodeRestriction). */
export function mayLabelItself(key: string): boolean {
  const namespace = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (!isIn(namespace, 'kubernetes.io') && !isIn(namespace, 'k8s.io')) return true;
  return ownLabels.includes(key) || ownNamespaces.some((own) => isIn(namespace, own));
}

function labelProblem([key, value]: readonly [string, ConfigValue]): string | undefined {
  if (!isQualifiedName(key)) return `label names such as example.com/rack, which ${key} is not`;
  if (typeof value !== 'string' || !isLabelValue(value))
    return `a label value for ${key}: at most 63 letters, digits, -, _ and .`;
  return mayLabelItself(key) ? undefined : `no label ${key}: a node may not give itself this one`;
}

/** Returns the options with one more flag applied. `undefined` for a flag that this agent accepts but ignores. */
export function withOption(options: KubeletOptions, flag: string, value: ConfigValue): OptionResult | undefined {
  const change = (part: Partial<KubeletOptions>): OptionResult => ({ ok: true, options: { ...options, ...part } });
  const text = typeof value === 'string' && value !== '' ? value : null;
  switch (flag) {
    case 'config':
      return change({ config: text });
    case 'config-dir':
      return change({ configDir: text });
    case 'kubeconfig':
      return change({ kubeconfig: text });
    case 'bootstrap-kubeconfig':
      return change({ bootstrapKubeconfig: text });
    case 'root-dir':
      return change({ rootDir: text ?? defaultOptions.rootDir });
    case 'cert-dir':
      return change({ certDir: text ?? defaultOptions.certDir });
    case 'image-credential-provider-config':
      return change({ credentialProviderConfig: text });
    case 'image-credential-provider-bin-dir':
      return change({ credentialProviderBinDir: text });
    case 'lock-file':
      return change({ lockFile: text });
    case 'exit-on-lock-contention':
      return change({ exitOnLockContention: value === true });
    case 'cloud-provider':
      return text === null || text === 'external'
        ? change({ cloudProvider: text ?? '' })
        : { ok: false, expected: 'external, or nothing' };
    case 'hostname-override': {
      // The same normalization as the kubelet's for the host name.
      const name = text?.trim().toLowerCase() ?? null;
      if (name !== null && !isDnsSubdomain(name)) return { ok: false, expected: 'a name of letters, digits, - and .' };
      return change({ hostnameOverride: name });
    }
    case 'node-ip': {
      const nodeIps = text?.split(',').map((ip) => ip.trim()) ?? [];
      const families = nodeIps.map((ip) => isIP(ip));
      const fits = nodeIps.length <= 2 && !families.includes(0) && new Set(families).size === families.length;
      return fits
        ? change({ nodeIps })
        : { ok: false, expected: 'an IP address, or one of each family with a comma between' };
    }
    case 'node-labels': {
      const labels = isTree(value) ? Object.entries(value) : [];
      const expected = labels.map(labelProblem).find((problem) => problem !== undefined);
      if (expected !== undefined) return { ok: false, expected };
      // labelProblem has checked that every value is text.
      return change({ nodeLabels: Object.fromEntries(labels) as Record<string, string> });
    }
    case 'minimum-container-ttl-duration': {
      const minAgeMs = typeof value === 'string' ? parseGoDuration(value) : Number(value);
      if (minAgeMs === undefined || minAgeMs < 0) return { ok: false, expected: 'a duration such as 1m, not below 0' };
      return change({ deadContainers: { ...options.deadContainers, minAgeMs } });
    }
    case 'maximum-dead-containers-per-container':
      return change({ deadContainers: { ...options.deadContainers, perContainer: Number(value) } });
    case 'maximum-dead-containers':
      return change({ deadContainers: { ...options.deadContainers, onNode: Number(value) } });
    default:
      return undefined;
  }
}
