import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/package-root.ts';
import {
  installedPackages,
  type LockedPackage,
  type LockFile,
  packageName,
  readLockFile,
} from '../../../src/cli/publish/lock-file.ts';
import { CHECKSUMS_FILE, nodePackages } from '../../../src/cli/publish/node-checksums.ts';
import { sbomOf } from '../../../src/cli/publish/sbom.ts';
import { shrinkwrapOf } from '../../../src/cli/publish/shrinkwrap.ts';

const root = packageRoot();
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const lock = readLockFile(join(root, 'package-lock.json'));
// Written by npm and by this project, in the format of npm.
const manifest = JSON.parse(text('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Readonly<Record<string, string>>
> & { readonly allowScripts: Readonly<Record<string, boolean>> };

describe('the dependencies of hivelet', () => {
  it('have exact versions', () => {
    const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    expect(Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('are locked by checksum, and to no registry', () => {
    expect([...lock.packages].filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(text('package-lock.json')).not.toContain('://registry');
    expect([...lock.packages].filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('run no install script: packages with one are not allowed to run it', () => {
    const withScripts = [...lock.packages].filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = withScripts.map(([path]) => packageName(path));
    expect(manifest.allowScripts).toEqual(Object.fromEntries([...new Set(names)].map((name) => [name, false])));
    expect(text('.npmrc')).toContain('strict-allow-scripts=true');
  });
});

describe('the packages installed with hivelet', () => {
  const installed = installedPackages(lock);

  it('have no install script', () => {
    expect(installed.size).toBeGreaterThan(5);
    expect([...installed].filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it('are exactly those of the shrinkwrap', () => {
    const shrinkwrap = JSON.parse(shrinkwrapOf(lock)) as {
      readonly packages: Readonly<Record<string, LockedPackage>>;
    };
    expect(Object.keys(shrinkwrap.packages)).toEqual(['', ...installed.keys()]);
    expect(shrinkwrap.packages['node_modules/piscina']).toEqual(lock.packages.get('node_modules/piscina'));
    expect(shrinkwrap.packages['']).not.toHaveProperty('devDependencies');
  });
});

describe('a shrinkwrap', () => {
  it('leaves out development packages, and the origin of packages', () => {
    const locked: LockFile = {
      name: 'thing',
      version: '1.0.0',
      lockfileVersion: 3,
      root: {
        name: 'thing',
        version: '1.0.0',
        license: 'MIT',
        dependencies: { a: '1.0.0' },
        devDependencies: { b: '2.0.0' },
      },
      packages: new Map([
        ['node_modules/a', { version: '1.0.0', integrity: 'sha512-AAAA', resolved: 'https://example.invalid/a.tgz' }],
        ['node_modules/b', { version: '2.0.0', dev: true }],
      ]),
    };
    expect(JSON.parse(shrinkwrapOf(locked))).toEqual({
      name: 'thing',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'thing', version: '1.0.0', license: 'MIT', dependencies: { a: '1.0.0' } },
        'node_modules/a': { version: '1.0.0', integrity: 'sha512-AAAA' },
      },
    });
  });
});

describe('the bill of materials', () => {
  it('lists installed and bundled packages, each with its checksum and licence', () => {
    const sbom = JSON.parse(sbomOf(lock, ['node_modules/comlink'])) as { readonly components: readonly object[] };
    const paths = [...installedPackages(lock).keys(), 'node_modules/comlink'].toSorted();
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(sbom.components).toMatchObject(paths.map((path) => ({ 'bom-ref': path, name: packageName(path) })));
    const version = lock.packages.get('node_modules/comlink')?.version;
    expect(sbom.components).toContainEqual({
      'bom-ref': 'node_modules/comlink',
      type: 'library',
      name: 'comlink',
      version,
      scope: 'required',
      purl: `pkg:npm/comlink@${version}`,
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      licenses: [{ expression: 'Apache-2.0' }],
      properties: [{ name: 'hivelet:shipped', value: 'bundled' }],
    });
  });

  it('fails for a package missing from the lock file', () => {
    expect(() => sbomOf(lock, ['node_modules/from-nowhere'])).toThrow('node_modules/from-nowhere');
  });
});

// A script for old versions of Node, which therefore is no module.
const { objectionTo } = createRequire(import.meta.url)('../../../src/bin/hivelet.cjs') as {
  objectionTo: (
    brought: { readonly node: string; readonly of: string },
    checksums: Readonly<Record<string, string>>,
  ) => string | undefined;
};

describe('the bundled Node', () => {
  const recorded = JSON.parse(text(CHECKSUMS_FILE)) as Readonly<Record<string, string>>;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hivelet-brought-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has a recorded checksum for each platform and the required version', () => {
    expect(Object.keys(recorded)).toEqual(nodePackages(root));
    expect(Object.values(recorded).every((sum) => /^[0-9a-f]{64}$/.test(sum))).toBe(true);
  });

  it.runIf(existsSync(join(root, `node_modules/node-linux-${process.arch}/bin/node`)))(
    'is the recorded program where installed',
    () => {
      const of = nodePackages(root).find((spec) => spec.startsWith(`node-linux-${process.arch}@`)) ?? '';
      const node = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
      expect(objectionTo({ node, of }, recorded)).toBeUndefined();
    },
  );

  it('is not run when a byte of it differs', () => {
    const node = join(folder, 'node');
    const sum = createHash('sha256').update('as published').digest('hex');
    writeFileSync(node, 'as published');
    expect(objectionTo({ node, of: 'node-x@1' }, { 'node-x@1': sum })).toBeUndefined();
    writeFileSync(node, 'as publishe!');
    const found = createHash('sha256').update('as publishe!').digest('hex');
    expect(objectionTo({ node, of: 'node-x@1' }, { 'node-x@1': sum })).toBe(
      `${node} cannot be run: it differs from the Node of node-x@1 that hivelet was published with. ` +
        `Its SHA-256 is ${found}, expected was ${sum}. ` +
        'Reinstall hivelet from a registry that you trust, or install Node 24.',
    );
  });

  it.each(['node-x@2', 'constructor', '__proto__'])('is not run when no checksum is known: %s', (of) => {
    const node = join(folder, 'node');
    writeFileSync(node, 'anything');
    expect(objectionTo({ node, of }, { 'node-x@1': '00' })).toContain(`hivelet has no checksum for ${of}`);
  });
});
