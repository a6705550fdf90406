import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ACTORS = join(import.meta.dirname, '../../actors');

export interface DutyInSource {
  readonly actor: string;
  /** With `<name>` for a part that is filled in. */
  readonly work: string;
}

/** Text of a duty: a value of `work`, up to the consequence that follows. */
const SPEC = /\bwork:\s*([^{}]*?(?:\$\{\w+\}[^{}]*?)?),\s*follows\b/g;
const TEXT = /'([^']+)'|"([^"]+)"|`([^`]+)`/g;
/** Works that are chosen by the kind of objects. */
const BY_KIND = /^const listed = \{(.*)\};$/m;

/** Every duty of every actor. A duty whose text cannot be read fails the test of the ledger: its actor has none. */
export const dutiesInSource: readonly DutyInSource[] = readdirSync(ACTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: actor }) => worksOf(actor).map((work) => ({ actor, work })));

function worksOf(actor: string): readonly string[] {
  const files = readdirSync(join(ACTORS, actor), { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ACTORS, actor, file), 'utf8'));
  const found = sources.filter((source) => source.includes('dutyOf(')).flatMap(worksIn);
  return [...new Set(found)];
}

function worksIn(source: string): readonly string[] {
  const specs = Array.from(source.matchAll(SPEC), ([, spec = '']) => spec);
  const byKind = source.includes('{ work, follows') ? (BY_KIND.exec(source)?.[1] ?? '') : '';
  return [...specs, byKind].flatMap((spec) =>
    Array.from(spec.matchAll(TEXT), ([, one, other, template]) =>
      (one ?? other ?? template ?? '').replaceAll(/\$\{(\w+)\}/g, '<$1>'),
    ),
  );
}
