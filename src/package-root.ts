import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of this package's `package.json`, whose distance differs between files of `src/` and `dist/`. */
export function packageRoot(base: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(base));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${fileURLToPath(base)}`);
    folder = parent;
  }
  return folder;
}

/** Returns the published version of this package. */
export function packageVersion(): string {
  // npm publishes no package without a version.
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

/**
 * Returns the URL of a module where a worker, a job or a process starts: `programUrl('jobs/walk-pods')`. The bundler
 * rewrites imports but not URLs. So the ending is that of this module: `.ts` in a checkout, `.js` in the published
 * package.
 */
export const programUrl = (name: string, base: string = import.meta.url): URL =>
  new URL(`./${name}${extname(new URL(base).pathname)}`, base);
