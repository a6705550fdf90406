import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package's `package.json`, which is not equally far away from every file of `src/` and `dist/`. */
export function packageRoot(base: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(base));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${fileURLToPath(base)}`);
    folder = parent;
  }
  return folder;
}

/** The version this package was published as. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
