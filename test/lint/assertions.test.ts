import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

const MADE_UP = [
  { rule: 'without a comment', refused: 1, lines: ['export const x = (value: unknown) => value as string;'] },
  {
    rule: 'through unknown, once',
    refused: 1,
    lines: ['export const x = (value: number) => value as unknown as string;'],
  },
  {
    rule: 'below a comment that belongs to other code',
    refused: 1,
    lines: ['export const y = 1; // one', 'export const x = (value: unknown) => value as string;'],
  },
  {
    rule: 'below a comment for a tool',
    refused: 1,
    lines: ['// prettier-ignore', 'export const x = (value: unknown) => value as string;'],
  },
  {
    rule: 'below its reason',
    refused: 0,
    lines: ['// Checked by the caller.', 'export const x = (value: unknown) => value as string;'],
  },
  {
    rule: 'beside its reason',
    refused: 0,
    lines: ['export const x = (value: unknown) => value as string; // checked by the caller'],
  },
  {
    rule: 'with the next one, for the same reason',
    refused: 0,
    lines: [
      '// Checked by the caller.',
      'export const x = (value: unknown) => value as string;',
      'export const y = (value: unknown) => value as number;',
    ],
  },
  { rule: 'to const, which overrides nothing', refused: 0, lines: ["export const x = ['a'] as const;"] },
] as const;

describe('a type assertion', () => {
  let tree = '';
  let found: readonly string[] = [];

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'lint-'));
    const rules = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
    writeFileSync(join(tree, '.oxlintrc.json'), rules.replaceAll('"./test/lint', `"${root}/test/lint`));
    mkdirSync(join(tree, 'src'));
    for (const [index, { lines }] of MADE_UP.entries())
      writeFileSync(join(tree, 'src', `made-up-${index}.ts`), `${lines.join('\n')}\n`);
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix'], {
      cwd: tree,
      encoding: 'utf8',
    });
    found = stdout.split('\n').filter((line) => line.includes('assertions(with-reason)'));
  }, 60_000);
  afterAll(() => {
    rmSync(tree, { recursive: true });
  });

  it.each(
    MADE_UP.map((made, index) => ({ ...made, verdict: made.refused > 0 ? 'is rejected' : 'is accepted', index })),
  )('$rule $verdict', ({ index, refused }) => {
    expect(found.filter((line) => line.startsWith(`src/made-up-${index}.ts:`))).toHaveLength(refused);
  });
});
