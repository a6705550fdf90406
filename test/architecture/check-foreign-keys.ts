import { resolve } from 'node:path';
import { foreignKeys } from './foreign-keys.ts';

/** The only file that may read and set any key, and a folder that is not clean yet. */
const EXEMPT = /^src\/kube\/text\/own\.ts$/;

const root = resolve(import.meta.dirname, '../..');
const found = foreignKeys(root, (file) => /^(?:src|actors)\//.test(file) && !EXEMPT.test(file));
for (const { file, line, text } of found) {
  process.stdout.write(
    `${file}:${line}: ${text.replace(/\s+/g, ' ')}: the key may be any text; use own, hasOwn, put or keyed (src/kube/text/own.ts) or a Map\n`,
  );
}
if (found.length > 0) process.exitCode = 1;
