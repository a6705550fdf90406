import { join } from 'node:path';
import { systemClock } from '../actor/clock.ts';
import { parseGoDuration } from '../kube/text/go-duration.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import { runBounded } from '../host/run-bounded.ts';
import type { CredentialProvider } from './credential-provider-config.ts';
import type { AsAccount } from './provider-account.ts';

/** The time limit of a provider's program. */
const PLUGIN_WITHIN_MS = 60_000;
const MOST_OUTPUT_BYTES = 1 << 20;

/** The scope in which an answer is valid. */
export type CacheKeyType = 'Image' | 'Registry' | 'Global';

export interface PluginAnswer {
  readonly cacheKeyType: CacheKeyType;
  /** `undefined` when the provider's configured duration applies. */
  readonly cacheMs: number | undefined;
  /** Logins by the place that they are for. */
  readonly auth: Readonly<Record<string, unknown>>;
}

export type PluginOutcome =
  | { readonly ok: true; readonly answer: PluginAnswer }
  /** The program's failure. Never contains its standard output, which may hold a login. */
  | { readonly ok: false; readonly problem: string };

/** Asks a provider's program for the logins of an image. Never rejects. */
export type RunPlugin = (provider: CredentialProvider, image: string, as?: AsAccount) => Promise<PluginOutcome>;

/** Returns the standard input of a program. `as`: the service account that the request is made for. */
export const pluginRequest = (apiVersion: string, image: string, as?: AsAccount): string =>
  JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion,
    image,
    ...(as !== undefined && { serviceAccountToken: as.token, serviceAccountAnnotations: as.annotations }),
  });

/** Runs programs in a folder of this host. Their environment is this process's, overridden by their configuration. */
export const pluginsIn =
  (directory: string): RunPlugin =>
  async (provider, image, as) => {
    const { output, complaint, problem } = await runBounded(
      {
        command: join(directory, provider.name),
        args: provider.args,
        env: { ...process.env, ...provider.env },
        input: pluginRequest(provider.apiVersion, image, as),
        withinMs: PLUGIN_WITHIN_MS,
        maxBytes: MOST_OUTPUT_BYTES,
      },
      systemClock,
    );
    if (problem === undefined) return readPluginResponse(provider.apiVersion, output);
    const said = complaint.trim();
    return { ok: false, problem: said === '' ? problem : `${problem}: ${excerpt(said, 500)}` };
  };

const KEY_TYPES: readonly string[] = ['Image', 'Registry', 'Global'] satisfies readonly CacheKeyType[];

/** Parses the answer of a program, which must have the version of the request. */
export function readPluginResponse(apiVersion: string, text: string): PluginOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'answered with text that is not JSON' };
  }
  const answer: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  if (answer['kind'] !== 'CredentialProviderResponse' || answer['apiVersion'] !== apiVersion)
    return { ok: false, problem: `did not answer with a CredentialProviderResponse of ${apiVersion}` };
  const cacheKeyType = answer['cacheKeyType'];
  if (typeof cacheKeyType !== 'string' || !KEY_TYPES.includes(cacheKeyType))
    return { ok: false, problem: `answered without a cacheKeyType of ${KEY_TYPES.join(', ')}` };
  const duration = answer['cacheDuration'];
  const cacheMs = typeof duration === 'string' ? parseGoDuration(duration) : undefined;
  const auth = answer['auth'];
  return {
    ok: true,
    answer: {
      // Checked above, by the set of known types.
      cacheKeyType: cacheKeyType as CacheKeyType,
      cacheMs,
      auth: typeof auth === 'object' && auth !== null ? { ...auth } : {},
    },
  };
}
