import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../package-root.ts';
import { readLockFile } from './lock-file.ts';
import { recordNodeChecksums } from './node-checksums.ts';
import { shrinkwrapOf } from './shrinkwrap.ts';

/**
 * What npm scripts do around `npm pack`. The shrinkwrap is there only while the package is packed: in a checkout npm would take it in place of
 * the lock file, without all that hivelet is built and tested with.
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
    throw new Error(`write-shrinkwrap, remove-shrinkwrap or record-node-checksums is to be done, not ${step}`);
}
