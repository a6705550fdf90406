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

/** What only the flags say of the Node object. */
export interface NodeOptions {
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly cloudProvider: string;
}

/** What an agent is started with. Plain data: every thread gets the same. */
export interface AgentSettings {
  readonly nodeName: string;
  readonly rootDir: string;
  readonly config: KubeletConfiguration;
  readonly runtimeEndpoint: string;
  readonly imageEndpoint: string;
  /** `undefined` when the agent is standalone and runs static pods only. */
  readonly api?: ApiSettings;
  /** `undefined` when no flag says anything of the node. */
  readonly nodeOptions?: NodeOptions;
  /** Dead containers to keep. `undefined`: the newest of each container. */
  readonly deadContainers?: DeadContainersKept;
  /** Programs that know logins of registries, and their directory. */
  readonly credentialProviders?: { readonly providers: readonly CredentialProvider[]; readonly binDir: string };
  /** `true` if containers are simulated and need no cgroup. */
  readonly simulatedContainers?: boolean;
  /** `true` if an agent without an API server has a node server all the same. */
  readonly serves?: boolean;
  /** A directory of ConfigMaps and Secrets for static pods of an agent without an API server. */
  readonly objectsDir?: string;
  /** The flags of the command line, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly profile: Profile;
  readonly verbosity: number;
  /** `true` if actors and threads may be made to fail from outside. */
  readonly faultInjection: boolean;
  /** Memory that the process may hold, in bytes; above that the agent ends. `undefined`: as much as the machine has. */
  readonly memoryLimitBytes?: number;
  /** How each thread writes its log. */
  readonly log: LogSettings;
}

/** Beside an API server a directory of objects is ignored: it could contradict the API. */
export const apiUse = ({ api, objectsDir }: Pick<AgentSettings, 'api' | 'objectsDir'>): ApiUse =>
  api !== undefined ? 'api' : objectsDir === undefined ? 'standalone' : 'objects-folder';

/** `true` if the node has a server. In a cluster it always has. */
export const hasServer = (settings: Pick<AgentSettings, 'api' | 'objectsDir' | 'serves'>): boolean =>
  apiUse(settings) === 'api' || settings.serves === true;

/** How an agent is divided into threads: one per duty that may block, or as few as possible. */
export type Profile = 'standard' | 'compact';

/** `standalone` and `objects-folder`: without an API server, so that no actor that needs one is there. */
export type ApiUse = 'standalone' | 'objects-folder' | 'api';
