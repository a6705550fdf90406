import { installedPackages, type LockFile } from './lock-file.ts';

/**
 * Returns the text of `npm-shrinkwrap.json`: an installation from a registry gets exactly the tested versions. npm
 * ignores it when a tarball is installed from a file. It names no registry, so that each installation uses its own.
 */
export function shrinkwrapOf(lock: LockFile): string {
  const { devDependencies: _ours, ...root } = lock.root;
  const packages = Object.fromEntries(
    [...installedPackages(lock)].map(([path, { resolved: _registry, ...locked }]) => [path, locked]),
  );
  const { name, version, lockfileVersion } = lock;
  const shrinkwrap = { name, version, lockfileVersion, requires: true, packages: { '': root, ...packages } };
  return `${JSON.stringify(shrinkwrap, null, 2)}\n`;
}
