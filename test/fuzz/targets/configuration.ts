import * as fc from 'fast-check';
import { formatProblem } from '../../../src/config/check/config-problem.ts';
import { encodeConfig } from '../../../src/config/fields/encode-config.ts';
import { flagNames } from '../../../src/config/flags/flag-table.ts';
import {
  defaultConfiguration,
  loadConfiguration,
  type LoadedConfiguration,
} from '../../../src/config/load-configuration.ts';
import { hostileKey, hostileText } from '../hostile-values.ts';
import { judged, READING_MS } from '../oracle.ts';
import { textOf, type Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';
import { fileTextOf, writtenFiles, type Written } from '../written.ts';

interface GivenConfiguration {
  readonly file: Written;
  readonly dropIns: Readonly<Record<string, Written>>;
  readonly flags: Readonly<Record<string, Recipe>>;
}

const HEAD = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

const bases: Readonly<Record<string, Recipe>> = {
  // The encoded value is plain JSON data.
  everything: { ...HEAD, ...(encodeConfig(defaultConfiguration()) as { readonly [key: string]: Recipe }) },
  maps: {
    ...HEAD,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    evictionSoft: { 'memory.available': '500Mi' },
    evictionSoftGracePeriod: { 'memory.available': '1m' },
    systemReserved: { cpu: '100m', memory: '1Gi' },
    featureGates: { EventedPLEG: true, MemoryQoS: false },
    staticPodURLHeader: { accept: ['text/plain'] },
    reservedMemory: [{ numaNode: 1, limits: { memory: '1Gi' } }],
    registerWithTaints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    tlsCipherSuites: ['TLS_AES_128_GCM_SHA256'],
    syncFrequency: '1m0s',
    logging: { verbosity: 2, format: 'json', vmodule: [{ filePattern: 'a', verbosity: 1 }] },
  },
};

const dropInName = fc.oneof(fc.constantFrom('10-a.conf', '20-b.conf', 'notes.txt'), hostileKey);

export const configuration: Target<GivenConfiguration> = {
  name: 'configuration',
  allowedMs: READING_MS,
  cases: fc.record({
    file: writtenFiles(bases),
    dropIns: fc.dictionary(dropInName, writtenFiles(bases), { maxKeys: 2 }),
    flags: fc.dictionary(fc.constantFrom(...flagNames, '__proto__', 'constructor', 'no-such-flag'), hostileText, {
      maxKeys: 2,
    }),
  }),
  open: async () => ({
    run: (given) => judged('loadConfiguration', () => load(given), outcomeOf),
    close: () => Promise.resolve(),
  }),
};

async function load({ file, dropIns, flags }: GivenConfiguration): Promise<LoadedConfiguration> {
  const texts = new Map([['/etc/kubelet.yaml', fileTextOf(bases, file)]]);
  for (const [name, written] of Object.entries(dropIns))
    texts.set(`/etc/kubelet.d/${name}`, fileTextOf(bases, written));
  const given = Object.entries(flags).map(([name, value]) => [name, textOf(value)] as const);
  const loaded = await loadConfiguration({
    flags: Object.fromEntries([
      ...given,
      ['config', '/etc/kubelet.yaml'] as const,
      ['config-dir', '/etc/kubelet.d'] as const,
    ]),
    files: {
      readFile: async (path) => texts.get(path) ?? Promise.reject(new Error(`ENOENT: ${path}`)),
      listFilesBelow: async () => Object.keys(dropIns),
    },
  });
  if (!loaded.ok) for (const problem of loaded.problems) formatProblem(problem);
  return loaded;
}

function outcomeOf(answer: unknown): string {
  const loaded = answer as LoadedConfiguration;
  return loaded.ok ? 'loads' : loaded.problems.map(({ code, path }) => `${code} ${path.slice(0, 60)}`).join(', ');
}
