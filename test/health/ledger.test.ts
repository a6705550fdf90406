import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dutiesInSource } from './duties-in-source.ts';
import { failuresIn } from './failures-in-readme.ts';
import type { Failures, Hearing } from './failures/failure.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(import.meta.dirname, 'failures');

const sources = globSync(['src/**/*.ts', 'actors/**/*.ts'], { cwd: ROOT })
  .filter((file) => !file.includes('/gen/') && !file.startsWith('src/embedded/'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const works = new Set(dutiesInSource.map(({ work }) => work));

const actors = readdirSync(join(ROOT, 'actors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const ledgers = new Map<string, Failures>();
for (const file of globSync('*/*.ts', { cwd: FOLDER })) {
  // Each file of the folders exports its rows under this name.
  const { failures } = (await import(join(FOLDER, file))) as { readonly failures: Failures };
  ledgers.set(basename(file, '.ts'), failures);
}

const failuresOf = (actor: string): readonly string[] =>
  failuresIn(readFileSync(join(ROOT, 'actors', actor, 'README.md'), 'utf8'));

/** `true` if the product has what the row promises. */
function isInProduct({ by, text }: Hearing): boolean {
  switch (by) {
    case 'duty':
      return works.has(text);
    case 'event':
      return sources.includes(`'${text}'`);
    case 'heals':
      return new RegExp(`\\b${text}\\b`).test(sources);
    case 'log':
    case 'metric':
    case 'status':
      return text.length > 3 && sources.includes(text);
    case 'endpoint':
      // The checks are named where they are served.
      return text.split('/').every((part) => sources.includes(part));
    case 'answer':
    case 'lossless':
      return text.length > 2;
    default:
      return by satisfies never;
  }
}

describe('the failures that an actor lists', () => {
  it('are in one file for each actor', () => {
    expect([...ledgers.keys()].toSorted()).toEqual(actors.toSorted());
  });

  it.each(actors)('%s: have one row each, and each row is one of these failures', (actor) => {
    const listed = failuresOf(actor);
    const rows = Object.keys(ledgers.get(actor) ?? {});
    const rowsOf = (failure: string) => rows.filter((row) => failure.startsWith(row));
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.filter((failure) => rowsOf(failure).length !== 1)).toEqual([]);
    expect(rows.filter((row) => listed.filter((failure) => failure.startsWith(row)).length !== 1)).toEqual([]);
  });

  it.each(actors)('%s: are heard by an operator, or heal within a bound, as the product has it', (actor) => {
    for (const [failure, { heard }] of Object.entries(ledgers.get(actor) ?? {})) {
      expect({ failure, heard: heard.length > 0 }).toEqual({ failure, heard: true });
      expect({ failure, unknown: heard.filter((each) => !isInProduct(each)) }).toEqual({ failure, unknown: [] });
    }
  });

  it.each(actors)('%s: are shown by a test', (actor) => {
    for (const [failure, { shown }] of Object.entries(ledgers.get(actor) ?? {})) {
      const [file, title] = shown;
      const path = join(ROOT, 'test', file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const isThere =
        title.length > 8 && [`'${title}`, `"${title}`, `\`${title}`].some((quoted) => text.includes(quoted));
      expect({ failure, file, title, isThere }).toMatchObject({ isThere: true });
    }
  });
});

describe('the failures in a README', () => {
  it.each([
    {
      text: 'a crash: it restarts.\n  - A loss: it is\n    repeated.',
      rows: ['a crash: it restarts.', 'A loss: it is repeated.'],
    },
    { text: '\n  - One: first. And so on. Two: second.', rows: ['One: first.', 'Two: second.'] },
    { text: ' alone; others run.\n  - A stop fails: retry.', rows: ['alone; others run.', 'A stop fails: retry.'] },
  ])('are read from “$text”', ({ text, rows }) => {
    expect(
      failuresIn(
        `# Actor\n\n- **Fails**${text.startsWith('\n') ? text : ` ${text.trimStart()}`}\n- **Limits**\n  - Never: this.`,
      ),
    ).toEqual(rows);
  });
});
