import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

function sources(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(root, path)).isDirectory()) return sources(path);
    return name.endsWith('.ts') && !name.endsWith('.d.ts') ? [path] : [];
  });
}

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports: readonly Import[] = [...sources('src'), ...sources('actors')].flatMap((from) => {
  const text = readFileSync(join(root, from), 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)];
  return found.map((match) => ({ from, to: relative(root, resolve(root, dirname(from), match[1] ?? '')) }));
});

/** Where a file stands; a layer may import its own and those below it. */
const layers = [
  ['entry', /^src\/(cli|bin|publish|admin|agent|main|thread|launcher|actor-kinds|package-root|sibling-url)/],
  ['actors', /^actors\//],
  [
    'rules and tools',
    /^src\/(pod|images|node|jobs|config|cri|api|volumes|csi|cgroups|stats|serving|probing|faults|embedded-runtime|embedded-apiserver)\//,
  ],
  ['kube', /^src\/kube\//],
  ['actor runtime', /^src\/actor\//],
] as const;

const layerOf = (file: string): number => layers.findIndex(([, pattern]) => pattern.test(file));

describe('the house', () => {
  it('has a layer for every file', () => {
    expect([...sources('src'), ...sources('actors')].filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  it('imports run downwards only', () => {
    const upward = imports.filter(({ from, to }) => layerOf(to) < layerOf(from));
    expect(upward).toEqual([]);
  });

  it('the actor runtime knows nothing of Kubernetes', () => {
    const outward = imports.filter(({ from, to }) => from.startsWith('src/actor/') && !to.startsWith('src/actor/'));
    expect(outward).toEqual([]);
  });

  it('kube values stand on nothing but themselves', () => {
    const outward = imports.filter(({ from, to }) => from.startsWith('src/kube/') && !to.startsWith('src/kube/'));
    expect(outward).toEqual([]);
  });

  it("an actor imports another actor's protocol and nothing else of it", () => {
    const duty = (file: string): string | undefined => /^actors\/([^/]+)\//.exec(file)?.[1];
    const trespassing = imports.filter(
      ({ from, to }) =>
        duty(from) !== undefined && duty(to) !== undefined && duty(from) !== duty(to) && !to.endsWith('/protocol.ts'),
    );
    expect(trespassing).toEqual([]);
  });

  it('every actor folder has the same four files', () => {
    // These pass on what they are asked.
    const nothingToDecide = new Set(['job-pool', 'node-metrics']);
    const folders = readdirSync(join(root, 'actors')).filter((name) =>
      statSync(join(root, 'actors', name)).isDirectory(),
    );
    const missing = folders.flatMap((folder) => {
      const names = readdirSync(join(root, 'actors', folder));
      return ['README.md', 'protocol.ts', 'state.ts', 'actor.ts']
        .filter((name) => !names.includes(name) && !(name === 'state.ts' && nothingToDecide.has(folder)))
        .map((name) => `actors/${folder}/${name}`);
    });
    expect(missing).toEqual([]);
  });
});
