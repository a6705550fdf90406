import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../package-root.ts';
import { readLockFile } from './lock-file.ts';
import { recordNodeChecksums } from './node-checksums.ts';
import { shrinkwrapOf } from './shrinkwrap.ts';

/**
 * Runs the steps of npm scripts around `npm pack`. The shrinkwrap exists only while the package is packed. In a
 * checkout npm would use it in place of the lock file, without the build and test tools.
 */
const root = packageRoot();
const shrinkwrap = join(root, 'npm-shrinkwrap.json');
const [step] = process.argv.slice(2);
switch (step) {
  case 'write-shrinkwrap':
    writeFileSync(shrinkwrap, shrinkwrapOf(readLockFile(join(root, 'package-lock.json'))));
    break;
  case 'remove-shrinkwrap':
    rmSync(shrinkwrap, { force: true });
    break;
  case 'record-node-checksums':
    recordNodeChecksums(root);
    break;
  default:
    throw new Error(`unknown step ${step}; use write-shrinkwrap, remove-shrinkwrap or record-node-checksums`);
}
