import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ACTORS = join(import.meta.dirname, '../../actors');

export interface DutyInSource {
  readonly actor: string;
  /** With `<name>` for a part that is filled in. */
  readonly work: string;
  readonly keepsNodeFromReady: boolean;
}

/** A duty: the value of `work` up to the consequence, and the rest of the object. */
const SPEC = /\bwork:\s*([^{}]*?(?:\$\{\w+\}[^{}]*?)?),\s*follows\b([^}]*)\}/g;
const TEXT = /'([^']+)'|"([^"]+)"|`([^`]+)`/g;
/** Works that are chosen by the kind of objects. */
const BY_KIND = /^const listed = \{(.*)\};$/m;

/** Every duty of every actor. Throws when a duty of a file cannot be read. */
export const dutiesInSource: readonly DutyInSource[] = readdirSync(ACTORS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => dutiesOf(name));

function dutiesOf(actor: string): readonly DutyInSource[] {
  const files = readdirSync(join(ACTORS, actor), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => dutiesIn(readFileSync(join(ACTORS, actor, file), 'utf8'), `${actor}/${file}`))
    .map((duty) => ({ actor, ...duty }));
}

function dutiesIn(source: string, file: string): readonly Omit<DutyInSource, 'actor'>[] {
  const made = source.match(/(?<!function )\bdutyOf\(/g)?.length ?? 0;
  const specs = [...source.matchAll(SPEC)];
  const [, byKind] = BY_KIND.exec(source) ?? [];
  if (made > specs.length + (byKind === undefined ? 0 : 1)) throw new Error(`a duty in ${file} cannot be read`);
  return [
    ...specs.flatMap(([, work = '', others = '']) => textsIn(work, others.includes('keepsNodeFromReady: true'))),
    ...textsIn(byKind ?? '', false),
  ];
}

function textsIn(text: string, keepsNodeFromReady: boolean): readonly Omit<DutyInSource, 'actor'>[] {
  return (
    Array.from(text.matchAll(TEXT), ([, one, other, template]) => one ?? other ?? template ?? '')
      // A word alone belongs to the condition that chooses between two works.
      .filter((work) => work.includes(' '))
      .map((work) => ({ work: work.replaceAll(/\$\{(\w+)\}/g, '<$1>'), keepsNodeFromReady }))
  );
}
