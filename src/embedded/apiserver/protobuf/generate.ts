import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readApiMessages } from './api-messages.ts';
import { wireMessagesText } from './wire-messages.ts';

/** Writes `gen/wire-messages.ts`; a part of `npm run -s generate`. */
const here = import.meta.dirname;
const messages = readApiMessages(readFileSync(join(here, 'api-messages.txt'), 'utf8'));
mkdirSync(join(here, 'gen'), { recursive: true });
writeFileSync(join(here, 'gen', 'wire-messages.ts'), wireMessagesText(messages));
