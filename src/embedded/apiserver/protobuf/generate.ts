import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGoTypes } from './go-types.ts';
import { wireMessagesText } from './wire-messages.ts';

/** Writes `gen/wire-messages.ts`; a part of `npm run -s generate`. */
const here = import.meta.dirname;
const types = readGoTypes(readFileSync(join(here, 'kubernetes-types.go'), 'utf8'));
mkdirSync(join(here, 'gen'), { recursive: true });
writeFileSync(join(here, 'gen', 'wire-messages.ts'), wireMessagesText(types));
