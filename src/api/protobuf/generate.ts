import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApiMessages } from './api-messages.ts';
import { generatedFiles } from './generated-files.ts';

/** Writes the files made from `api-messages.txt`; a part of `npm run -s generate`. */
const source = join(import.meta.dirname, '../..');
const messages = readApiMessages(readFileSync(join(import.meta.dirname, 'api-messages.txt'), 'utf8'));
for (const [file, text] of generatedFiles(messages)) {
  mkdirSync(join(source, file, '..'), { recursive: true });
  writeFileSync(join(source, file), text);
}
