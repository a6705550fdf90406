import type { PodVolumes, VolumePlan } from '../../src/volumes/plan/volume-plan.ts';

export const DRIVER = 'disks.test';

/** The content of all sources: one generation, with its number of keys. */
export const textOf = (generation: number): string => `generation ${generation}\n`.repeat(40);

/** Keys differ between generations, so a mix of two has the wrong keys. `keys` is their number. */
export function dataOf(generation: number): Readonly<Record<string, string>> {
  const text = textOf(generation);
  const keys = 2 + (generation % 4);
  return {
    generation: text,
    ...Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key-${index}`, text])),
  };
}

/** The number of files in a volume of one kind. */
export const filesOf = (kind: string, generation: number): number => {
  const keys = Object.keys(dataOf(generation)).length;
  if (kind === 'kubernetes.io~downward-api') return 2;
  return kind === 'kubernetes.io~projected' ? keys * 2 + 2 : keys;
};

/** Issues tokens that are text of a generation, like all other content. */
export const isToken = (): boolean => false;

/** A pod with one volume of each kind, and two of a CSI driver. */
export function podOf(podUid: string, generation: number, localPath: string): PodVolumes {
  const text = textOf(generation);
  const config = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
  const secret = { kind: 'Secret', namespace: 'shop', name: 'keys' } as const;
  const files = { type: 'files', defaultMode: 0o644 } as const;
  const memoryBytes = 4 * 1024 * 1024;
  const downward = [
    { type: 'text', path: 'generation', text },
    { type: 'text', path: 'deep/er/labels', text, mode: 0o400 },
  ] as const;
  const token = {
    type: 'token',
    path: 'token',
    audience: '',
    expirationSeconds: 3_600,
    serviceAccount: 'default',
  } as const;
  const prefixed = Object.keys(dataOf(generation)).map((key) => ({ key, path: `secret/${key}` }));
  const volumes: readonly VolumePlan[] = [
    { type: 'empty-dir', name: 'disk', medium: 'disk' },
    { type: 'empty-dir', name: 'memory', medium: 'memory', sizeBytes: memoryBytes },
    { type: 'host-path', name: 'host', path: localPath, check: 'Directory' },
    { type: 'local', name: 'local', specName: 'local-pv', path: localPath },
    { ...files, name: 'config', plugin: 'configmap', sources: [{ type: 'object', ref: config, optional: false }] },
    {
      ...files,
      name: 'secret',
      plugin: 'secret',
      memoryBytes,
      sources: [{ type: 'object', ref: secret, optional: false }],
    },
    { ...files, name: 'self', plugin: 'downward-api', memoryBytes, sources: downward },
    {
      ...files,
      name: 'all',
      plugin: 'projected',
      memoryBytes,
      sources: [
        { type: 'object', ref: config, optional: false },
        { type: 'object', ref: secret, optional: false, items: prefixed },
        { type: 'text', path: 'deep/label', text },
        token,
      ],
    },
    {
      type: 'claim',
      name: 'claimed',
      claim: 'vol-1',
      ephemeral: false,
      readOnly: false,
      asDevice: false,
      serviceAccount: 'default',
    },
    {
      type: 'csi',
      name: 'inline',
      driver: DRIVER,
      fsType: '',
      readOnly: false,
      attributes: {},
      serviceAccount: 'default',
    },
  ];
  return { podUid, podName: podUid, namespace: 'shop', volumes, fsGroup: 4_321, fsGroupChangePolicy: 'Always' };
}

/** The number of mounts of a complete pod: four in memory, one host path, two of the driver, one subPath. */
export const MOUNTS_OF_A_POD = 8;
