import { isAbsolute, resolve } from 'node:path';
import type { AgentSettings } from '../../agent/settings.ts';
import { formatProblem } from '../../config/check/config-problem.ts';
import type { LoadedConfiguration } from '../../config/load-configuration.ts';
import type { FlagValues } from '../../config/flags/parse-flags.ts';
import { isDnsSubdomain } from '../../config/check/value-checks.ts';
import { readCredentialProviders } from '../../images/credential-provider-config.ts';
import type { LogSettings } from '../../agent/logger.ts';
import { agentMemoryLimit, type MemoryLimitAsked, type MemoryOfMachine } from '../../agent/memory-limit.ts';
import { UserError } from '../user-error.ts';

/** containerd's socket, the kubelet's default. */
export const defaultRuntimeEndpoint = 'unix:///run/containerd/containerd.sock';

export interface RunFlags extends Pick<AgentSettings, 'profile' | 'faultInjection' | 'objectsDir'> {
  readonly memoryLimit: MemoryLimitAsked;
}

/** The machine that the agent runs on. */
export interface AgentHost extends MemoryOfMachine {
  readonly name: string;
}

type Configured = Extract<LoadedConfiguration, { ok: true }>;

/** Returns the configuration, or throws all its problems, one per line. */
export function configured(loaded: LoadedConfiguration): Configured {
  if (!loaded.ok) throw new UserError(loaded.problems.map(formatProblem).join('\n'));
  return loaded;
}

/** Returns the agent's settings from the user's configuration. The host's name is used when no other is set. */
export function agentSettings(
  { config, options, asksToServe }: Configured,
  { memoryLimit, ...run }: RunFlags & Pick<AgentSettings, 'log' | 'flags'>,
  host: AgentHost,
): AgentSettings {
  const memoryLimitBytes = agentMemoryLimit(memoryLimit, config, host);
  const runtimeEndpoint = config.containerRuntimeEndpoint || defaultRuntimeEndpoint;
  if (options.kubeconfig === null && asksToServe) mustDecideByItself(config);
  return {
    nodeName: options.hostnameOverride ?? nodeNameOf(host.name),
    rootDir: isAbsolute(options.rootDir) ? options.rootDir : resolve(options.rootDir),
    config,
    runtimeEndpoint,
    imageEndpoint: config.imageServiceEndpoint || runtimeEndpoint,
    ...apiSettings(options),
    ...(asksToServe && { serves: true }),
    ...providerSettings(options),
    nodeOptions: { ips: options.nodeIps, labels: options.nodeLabels, cloudProvider: options.cloudProvider },
    deadContainers: options.deadContainers,
    verbosity: config.logging.verbosity,
    ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
    ...run,
  };
}

/** Without an API server, requests cannot be authorized through one, so such a configuration would let no client in. */
function mustDecideByItself({ enableServer, authentication, authorization }: Configured['config']): void {
  if (!enableServer || (!authentication.webhook.enabled && authorization.mode === 'AlwaysAllow')) return;
  throw new UserError(
    "without a kubeconfig this node's server cannot authorize requests through an API server: set " +
      'authentication.webhook.enabled to false and authorization.mode to AlwaysAllow, and name the CA of the ' +
      'client certificates in authentication.x509.clientCAFile',
  );
}

/** Returns how the API server is reached, if there is one. */
function apiSettings(options: Configured['options']): Pick<AgentSettings, 'api'> {
  const { kubeconfig, bootstrapKubeconfig, certDir } = options;
  if (kubeconfig === null) return {};
  const bootstrap = bootstrapKubeconfig === null ? {} : { bootstrapKubeconfig: resolve(bootstrapKubeconfig) };
  return { api: { kubeconfig: resolve(kubeconfig), ...bootstrap, certDir: resolve(certDir) } };
}

/**
 * Returns the programs that provide registry logins. Throws a `UserError` for an invalid configuration: an agent
 * without logins pulls nothing.
 */
function providerSettings({
  credentialProviderConfig: config,
  credentialProviderBinDir: binDir,
}: Configured['options']): Pick<AgentSettings, 'credentialProviders'> {
  if (config === null && binDir === null) return {};
  if (config === null || binDir === null)
    throw new UserError(
      '--image-credential-provider-config and --image-credential-provider-bin-dir must be given together',
    );
  const read = readCredentialProviders(resolve(config));
  if (!read.ok)
    throw new UserError(['the image credential providers are configured wrongly', ...read.problems].join('\n'));
  return { credentialProviders: { providers: read.providers, binDir: resolve(binDir) } };
}

/** Returns the node name for a host name. Throws a `UserError` for a name that Kubernetes rejects. */
export function nodeNameOf(hostName: string): string {
  const name = hostName.trim().toLowerCase();
  if (isDnsSubdomain(name)) return name;
  throw new UserError(
    `this host's name, ${JSON.stringify(hostName)}, cannot name a node: give one with --hostname-override`,
  );
}

/** Returns the log settings of `hivelet run`: as requested, or by default to suit a terminal or a log collector. */
export function runLog(flags: FlagValues, { config }: Configured, isTerminal: boolean): LogSettings {
  const isAsked = flags['logging-format'] !== undefined || config.logging.format !== 'text';
  const format = isAsked ? (config.logging.format === 'json' ? 'json' : 'text') : isTerminal ? 'text' : 'json';
  return { verbosity: config.logging.verbosity, format, destination: 'stderr' };
}

/** Returns flags in readable form: their own names, values joined as on a command line. */
export const shownFlags = (flags: FlagValues): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, [value].flat().join(',')]));
