import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untrueInDocument, withTree } from './judge-document.ts';
import { circles, fullRooms, insideOut, layerOf, outOfActorRuntime, trespassing, wrongWay } from './judge-house.ts';
import { filesIn, importsOfHouse, root } from './read-house.ts';

/**
 * `npm run house`: reports problems with the structure of the sources and with ARCHITECTURE.md. With `--write`, the parts
 * of the document that follow from the tree are written first; `npm run format` then formats them.
 */
const document = join(root, 'ARCHITECTURE.md');
if (process.argv.includes('--write')) writeFileSync(document, await withTree(readFileSync(document, 'utf8')));

const imports = importsOfHouse();
const files = filesIn(['src', 'actors', 'test', 'bench']);
const problems = [
  ...files
    .filter((file) => /^(src|actors)\/.*\.ts$/.test(file) && layerOf(file) === undefined)
    .map((file) => `${file} is in no layer of test/architecture/layers.ts`),
  ...wrongWay(imports),
  ...outOfActorRuntime(imports),
  ...trespassing(imports),
  ...insideOut(imports),
  ...circles(imports).map((circle) => `a circle of imports: ${circle.join(' → ')}`),
  ...fullRooms(files),
  ...(await untrueInDocument(readFileSync(document, 'utf8'))).map((problem) => `ARCHITECTURE.md: ${problem}`),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
