import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLockFile } from './lock-file.ts';

/** Read by `src/bin/hivelet.cjs`: SHA-256 of `bin/node`, by `package@version`. */
export const CHECKSUMS_FILE = 'src/bin/node-checksums.json';

/** Returns the packages that include a Node, as `package@version`. */
export function nodePackages(root: string): readonly string[] {
  const { optionalDependencies = {} } = readLockFile(join(root, 'package-lock.json')).root;
  return Object.entries(optionalDependencies).map(([name, version]) => `${name}@${version}`);
}

/**
 * Records the checksum of each included Node, for every platform. npm fetches the packages and compares them with its
 * registry's checksums. The lock file holds the required checksums.
 */
export function recordNodeChecksums(root: string): void {
  const sums = nodePackages(root).map((spec) => [spec, checksumOf(root, spec)]);
  writeFileSync(join(root, CHECKSUMS_FILE), `${JSON.stringify(Object.fromEntries(sums), null, 2)}\n`);
}

function checksumOf(root: string, spec: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-node-'));
  try {
    const packed = execFileSync('npm', ['pack', spec, '--json', '--pack-destination', folder], { encoding: 'utf8' });
    // npm writes one entry per package.
    const [file] = JSON.parse(packed) as readonly { readonly filename: string; readonly integrity: string }[];
    const name = spec.slice(0, spec.lastIndexOf('@'));
    const locked = readLockFile(join(root, 'package-lock.json')).packages.get(`node_modules/${name}`);
    if (file === undefined || file.integrity !== locked?.integrity)
      throw new Error(`${spec} is ${file?.integrity}, and package-lock.json has ${locked?.integrity}`);
    execFileSync('tar', ['-xzf', join(folder, file.filename), '-C', folder, 'package/bin/node']);
    return createHash('sha256')
      .update(readFileSync(join(folder, 'package/bin/node')))
      .digest('hex');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
