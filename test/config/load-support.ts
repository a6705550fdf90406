import type { HostOfConfiguration } from '../../src/config/check/cross-field-rules.ts';
import type { ConfigProblem } from '../../src/config/check/config-problem.ts';
import { formatProblem } from '../../src/config/check/config-problem.ts';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';
import type { LoadedConfiguration } from '../../src/config/load-configuration.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import type { FlagValues } from '../../src/config/flags/parse-flags.ts';

export const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

export interface Given {
  readonly body?: string;
  readonly flags?: FlagValues;
  /** Drop-in files by name. */
  readonly dropIns?: Readonly<Record<string, string>>;
  readonly host?: HostOfConfiguration;
}

/** Loads `/etc/kubelet.yaml` made of the head and this body; without a body there is no file. */
export function load({ body, flags = {}, dropIns, host }: Given): Promise<LoadedConfiguration> {
  const texts = new Map<string, string>();
  if (body !== undefined) texts.set('/etc/kubelet.yaml', HEAD + body);
  for (const [name, text] of Object.entries(dropIns ?? {})) texts.set(`/etc/kubelet.d/${name}`, HEAD + text);
  return loadConfiguration({
    flags: {
      ...(body === undefined ? {} : { config: '/etc/kubelet.yaml' }),
      ...(dropIns === undefined ? {} : { 'config-dir': '/etc/kubelet.d' }),
      ...flags,
    },
    files: {
      readFile: async (path) => texts.get(path) ?? Promise.reject(new Error(`ENOENT: ${path}`)),
      listFilesBelow: async () => Object.keys(dropIns ?? {}),
    },
    ...(host !== undefined && { host }),
  });
}

export async function problemsOf(given: Given): Promise<readonly ConfigProblem[]> {
  const loaded = await load(given);
  return loaded.ok ? [] : loaded.problems;
}

export async function configOf(given: Given): Promise<KubeletConfiguration> {
  const loaded = await load(given);
  if (loaded.ok) return loaded.config;
  throw new Error(loaded.problems.map(formatProblem).join('\n'));
}
