import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isCriCase } from './cri-case.ts';
import { looksLikeScenario, parseFile } from './lifecycle-case.ts';

/** The path and kind of a case: CRI requests for a pod (a folder), or a pod's life (a file). */
export interface FoundCase {
  readonly kind: 'cri' | 'lifecycle';
  readonly name: string;
  readonly path: string;
}

const DEEPEST = 3;
/** Files that are never cases, whatever their content. */
const NO_CASES: ReadonlySet<string> = new Set(['environment.json', 'stored.json', 'package.json']);
const CRI_FILES = ['expected.json', 'stored.json', 'manifest.yaml', 'manifest.yml', 'manifest.json'];

/** Returns every case in a folder and its subfolders. A folder that is a case itself is the only result. */
export function findCases(path: string, depth = 0): readonly FoundCase[] {
  if (!statSync(path).isDirectory()) return [{ kind: 'lifecycle', name: basename(path, '.json'), path }];
  // A folder with a manifest but without an expectation is reported as malformed when it is read.
  if (isCriCase(path) || CRI_FILES.some((name) => existsSync(join(path, name))))
    return [{ kind: 'cri', name: basename(path), path }];
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): readonly FoundCase[] => {
      const inside = join(path, entry.name);
      if (statSync(inside).isDirectory())
        return depth < DEEPEST && !entry.name.startsWith('.') ? findCases(inside, depth + 1) : [];
      if (!entry.name.endsWith('.json') || NO_CASES.has(entry.name) || !maybeScenario(inside)) return [];
      return [{ kind: 'lifecycle', name: basename(entry.name, '.json'), path: inside }];
    });
}

/** `true` also for a file that is not valid JSON: the file is reported as malformed when it is played. */
function maybeScenario(file: string): boolean {
  try {
    return looksLikeScenario(parseFile(file));
  } catch {
    return true;
  }
}
