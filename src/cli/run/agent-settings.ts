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

/** Where containerd listens; what the kubelet takes when nothing else is said. */
export const defaultRuntimeEndpoint = 'unix:///run/containerd/containerd.sock';

export interface RunFlags extends Pick<AgentSettings, 'profile' | 'faultInjection' | 'objectsDir'> {
  readonly memoryLimit: MemoryLimitAsked;
}

/** The machine that the agent runs on. */
export interface AgentHost extends MemoryOfMachine {
  readonly name: string;
}

type Configured = Extract<LoadedConfiguration, { ok: true }>;

/** The configuration, or else every problem with it, one a line. */
export function configured(loaded: LoadedConfiguration): Configured {
  if (!loaded.ok) throw new UserError(loaded.problems.map(formatProblem).join('\n'));
  return loaded;
}

/** What the agent needs to know, from what its user has written. The host's name counts where no other is given. */
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

/** Without an API server nobody can be asked who may do what, and nobody is let in for that. */
function mustDecideByItself({ enableServer, authentication, authorization }: Configured['config']): void {
  if (!enableServer || (!authentication.webhook.enabled && authorization.mode === 'AlwaysAllow')) return;
  throw new UserError(
    'without a kubeconfig the server of this node cannot ask an API server who may do what: set ' +
      'authentication.webhook.enabled to false and authorization.mode to AlwaysAllow, and name those who sign the ' +
      'certificates of its clients in authentication.x509.clientCAFile',
  );
}

/** How the API server is reached, if there is to be one. */
function apiSettings(options: Configured['options']): Pick<AgentSettings, 'api'> {
  const { kubeconfig, bootstrapKubeconfig, certDir } = options;
  if (kubeconfig === null) return {};
  const bootstrap = bootstrapKubeconfig === null ? {} : { bootstrapKubeconfig: resolve(bootstrapKubeconfig) };
  return { api: { kubeconfig: resolve(kubeconfig), ...bootstrap, certDir: resolve(certDir) } };
}

/** Who knows logins of registries. Throws a `UserError` for what is not as it must be: an agent without them pulls nothing. */
function providerSettings({
  credentialProviderConfig: config,
  credentialProviderBinDir: binDir,
}: Configured['options']): Pick<AgentSettings, 'credentialProviders'> {
  if (config === null && binDir === null) return {};
  if (config === null || binDir === null)
    throw new UserError('--image-credential-provider-config and --image-credential-provider-bin-dir need each other');
  const read = readCredentialProviders(resolve(config));
  if (!read.ok) throw new UserError(['the credential providers are not well configured', ...read.problems].join('\n'));
  return { credentialProviders: { providers: read.providers, binDir: resolve(binDir) } };
}

/** The name of a node on a host of this name. Throws a `UserError` for one that Kubernetes does not take. */
export function nodeNameOf(hostName: string): string {
  const name = hostName.trim().toLowerCase();
  if (isDnsSubdomain(name)) return name;
  throw new UserError(
    `this host's name, ${JSON.stringify(hostName)}, cannot name a node: give one with --hostname-override`,
  );
}

/** How the log of `hivelet run` is written: as asked for, and else for whoever reads it. */
export function runLog(flags: FlagValues, { config }: Configured, isTerminal: boolean): LogSettings {
  const isAsked = flags['logging-format'] !== undefined || config.logging.format !== 'text';
  const format = isAsked ? (config.logging.format === 'json' ? 'json' : 'text') : isTerminal ? 'text' : 'json';
  return { verbosity: config.logging.verbosity, format, destination: 'stderr' };
}

/** Flags as one reads them: their own names, values joined as on a command line. */
export const shownFlags = (flags: FlagValues): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, [value].flat().join(',')]));
