import { readFileSync } from 'node:fs';
import { rolldown, type OutputAsset, type OutputChunk } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import config from '../../rolldown.config.ts';

let chunks: ReadonlyMap<string, OutputChunk>;
let assets: readonly OutputAsset[];

beforeAll(async () => {
  if (Array.isArray(config.output)) throw new Error('one output, of which all this is said');
  await using bundle = await rolldown(config);
  const { output } = await bundle.generate(config.output);
  chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  assets = output.filter((file) => file.type === 'asset');
});

/** The files that are loaded before the first line of an entry runs. */
function loadedWith(fileName: string): readonly OutputChunk[] {
  const found = new Set<OutputChunk>();
  const follow = (name: string): void => {
    const chunk = chunks.get(name);
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    chunk.imports.forEach(follow);
  };
  follow(fileName);
  return [...found];
}

interface SbomComponent {
  readonly name: string;
  readonly licenses?: readonly { readonly expression: string }[];
}

/** An expression of SPDX of nothing but licences that ask for a notice, or for nothing. */
const permissive =
  /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0)( (AND|OR) (MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0))*\)?$/;

const modulesWith = (fileName: string): readonly string[] => loadedWith(fileName).flatMap(({ moduleIds }) => moduleIds);
const library = /\/node_modules\/(?!.*\/node_modules\/)(@[^/]+\/[^/]+|[^/]+)\//;

describe('the published bundle', () => {
  it('has the entries of threads and jobs beside the file that starts them', () => {
    expect([...chunks.keys()].filter((name) => !name.includes('-') || name.includes('/')).toSorted()).toEqual([
      'jobs/parse-manifest.js',
      'jobs/parse-pod-list.js',
      'jobs/volume-orders.js',
      'jobs/walk-pods.js',
      'main.js',
      'thread.js',
    ]);
    const asking = [...chunks.values()].filter(({ moduleIds }) =>
      moduleIds.some((id) => id.endsWith('/src/package-root.ts')),
    );
    expect(asking.map(({ fileName }) => fileName)).toEqual([expect.stringMatching(/^[^/]+$/)]);
  });

  it.each([
    { entry: 'main.js', lazy: /commander|\/yaml\/|piscina|\/src\/cli\/run\/start-agent\.ts|\/src\/cli\/program\.ts/ },
    {
      entry: 'thread.js',
      lazy: /grpc-js|x509|\/yaml\/|\/ws\/|\/actors\/[^/]+\/actor\.ts|\/src\/(embedded|cri\/gen)/,
    },
    { entry: 'jobs/walk-pods.js', lazy: /node_modules|\/actors\// },
    { entry: 'jobs/parse-manifest.js', lazy: /node_modules\/(?!.*yaml\/)|\/actors\// },
  ])('loads modules on demand: $entry', ({ entry, lazy }) => {
    const loaded = modulesWith(entry);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((id) => lazy.test(id))).toEqual([]);
  });

  it('has no character for which V8 stores a file with two bytes per character', () => {
    const wide = [...chunks.values()].filter(({ code }) => /[^\0-\xff]/.test(code));
    expect(wide.map(({ fileName }) => fileName)).toEqual([]);
  });

  it('names each bundled library, with its licence', () => {
    const bundled = [...chunks.values()].flatMap(({ moduleIds }) =>
      moduleIds.flatMap((id) => library.exec(id)?.[1] ?? []),
    );
    const notices = assets.find(({ fileName }) => fileName === 'THIRD-PARTY-LICENSES.txt')?.source.toString() ?? '';
    expect(new Set(bundled).size).toBeGreaterThan(10);
    const named = new Set([...notices.matchAll(/^(\S+) \d\S* \(.+\)$/gm)].map(([, name]) => name));
    expect([...new Set(bundled)].filter((name) => !named.has(name))).toEqual([]);
  });

  it('requires exactly the packages that are installed with it', () => {
    const code = [...chunks.values()].flatMap((chunk) => [
      chunk.code,
      ...chunk.imports.map((name) => `load("${name}")`),
    ]);
    // Parts of these libraries are loaded by name, not by import, so a bundler cannot see and copy them.
    const asked = code.flatMap((text) => [
      ...text.matchAll(
        /\b(?:load|load\.resolve|createRequire\(import\.meta\.url\))\("(?!node:)(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)/g,
      ),
    ]);
    const names = asked.map(([, name]) => name ?? '').filter((name) => !chunks.has(name));
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  it('has libraries only under licences that may be passed on, each of them in the bill of materials', () => {
    const bundled = [...chunks.values()].flatMap(({ moduleIds }) =>
      moduleIds.flatMap((id) => library.exec(id)?.[1] ?? []),
    );
    const source = assets.find(({ fileName }) => fileName === 'sbom.cdx.json')?.source.toString() ?? '{}';
    const { components } = JSON.parse(source) as { readonly components: readonly SbomComponent[] };
    const names = components.map(({ name }) => name);
    expect([...new Set(bundled)].filter((name) => !names.includes(name))).toEqual([]);
    const licencesOf = ({ licenses = [] }: SbomComponent) => licenses.map(({ expression }) => expression);
    const unclear = components.filter((component) => {
      const [licence, ...more] = licencesOf(component);
      return licence === undefined || more.length > 0 || !permissive.test(licence);
    });
    expect(unclear).toEqual([]);
    expect(source).not.toMatch(/"(timestamp|serialNumber)"|https?:\/\/(?!cyclonedx\.org)/);
  });

  it('keeps the names of functions and classes', () => {
    const code = [...chunks.values()].map((chunk) => chunk.code).join('');
    const names = ['function startAgent(', 'ThreadSupervisor = class ', 'PodWorker = class '];
    expect(names.filter((name) => !code.includes(name))).toEqual([]);
  });
});
