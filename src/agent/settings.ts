import type { DeadContainersKept } from '../config/flags/kubelet-options.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';
import type { CredentialProvider } from '../images/credential-provider-config.ts';
import type { LogSettings } from './logger.ts';

/** How an agent reaches its API server. */
export interface ApiSettings {
  readonly kubeconfig: string;
  /** The kubeconfig that requests a client certificate where `kubeconfig` does not exist yet. */
  readonly bootstrapKubeconfig?: string;
  /** The directory of certificates. */
  readonly certDir: string;
}

/** Facts of the Node object that only flags set. */
export interface NodeOptions {
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly cloudProvider: string;
}

/** The settings of an agent. Plain data: every thread gets the same. */
export interface AgentSettings {
  readonly nodeName: string;
  readonly rootDir: string;
  readonly config: KubeletConfiguration;
  readonly runtimeEndpoint: string;
  readonly imageEndpoint: string;
  /** `undefined` when the agent is standalone and runs static pods only. */
  readonly api?: ApiSettings;
  /** `undefined` when no flag is about the node. */
  readonly nodeOptions?: NodeOptions;
  /** Dead containers to keep. `undefined` when only the newest of each container is kept. */
  readonly deadContainers?: DeadContainersKept;
  /** Programs that provide logins for registries, and their directory. */
  readonly credentialProviders?: { readonly providers: readonly CredentialProvider[]; readonly binDir: string };
  /** `true` if containers are simulated and need no cgroup. */
  readonly simulatedContainers?: boolean;
  /** `true` if an agent without an API server still has a node server. */
  readonly serves?: boolean;
  /** A directory of ConfigMaps and Secrets for static pods of an agent without an API server. */
  readonly objectsDir?: string;
  /** The flags of the command line, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly profile: Profile;
  readonly verbosity: number;
  /** `true` if actors and threads may be made to fail from outside. */
  readonly faultInjection: boolean;
  /** Memory limit of the process, in bytes; above it the agent ends. `undefined` when there is no limit. */
  readonly memoryLimitBytes?: number;
  /** How each thread writes its log. */
  readonly log: LogSettings;
}

/** With an API server, a directory of objects is ignored: it could contradict the API. */
export const apiUse = ({ api, objectsDir }: Pick<AgentSettings, 'api' | 'objectsDir'>): ApiUse =>
  api !== undefined ? 'api' : objectsDir === undefined ? 'standalone' : 'objects-folder';

/** `true` if the node has a server. In a cluster it always has. */
export const hasServer = (settings: Pick<AgentSettings, 'api' | 'objectsDir' | 'serves'>): boolean =>
  apiUse(settings) === 'api' || settings.serves === true;

/** How an agent is divided into threads: one per duty that may block, or as few as possible. */
export type Profile = 'standard' | 'compact';

/** `standalone` and `objects-folder`: no API server, so actors that need one do not run. */
export type ApiUse = 'standalone' | 'objects-folder' | 'api';
