import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Import } from './judge-house.ts';

export const root = resolve(import.meta.dirname, '../..');

const isGenerated = (file: string): boolean => /\/(gen|golden)\//.test(file);

/** The files of these folders, from the root, without generated code and recorded data. */
export const filesIn = (folders: readonly string[]): readonly string[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !isGenerated(file))
    .toSorted();

const IMPORT = /\b(?:from|import)\s*(\(?)\s*['"](\.[^'"]+)['"]/g;

/** Every import within `src` and `actors`, types included. */
export function importsOfHouse(): readonly Import[] {
  return filesIn(['src', 'actors'])
    .filter((file) => file.endsWith('.ts'))
    .flatMap((from) => {
      const text = readFileSync(join(root, from), 'utf8');
      return [...text.matchAll(IMPORT)].map(([, bracket = '', specifier = '']) => ({
        from,
        to: join(dirname(from), specifier),
        isLazy: bracket === '(',
      }));
    })
    .filter(({ to }) => !isGenerated(to));
}
