import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from './regular-expressions.ts';

const root = join(import.meta.dirname, '../..');

describe('the checker of regular expressions', () => {
  it.each<{ what: string; expression: RegExp; fault: RegExp }>([
    { what: 'a repetition of a repetition', expression: /^(?:a+)+$/, fault: /exponential/ },
    { what: 'alternatives that overlap', expression: /^(?:\w|\d)*;/, fault: /exponential/ },
    { what: 'a run that is not at the end', expression: /\/+$/, fault: /quadratic.*tried from every place/ },
    { what: 'neighbours that share characters', expression: /^\s*\w*\s*$|^\d+\d+x/, fault: /quadratic.*backtracks/ },
    { what: 'a run after words, from any place', expression: /name .* is taken/, fault: /quadratic.*the text before/ },
    { what: 'two runs around the same text', expression: /^a=.*,b=.*,c=1/, fault: /quadratic time: \.\* and \.\*/ },
    { what: 'a reference back', expression: /^(\w)x\1/, fault: /refers back/ },
    { what: 'an assertion without bound', expression: /^(?!.*b)a/, fault: /looks around/ },
  ])('finds $what', ({ expression, fault }) => {
    expect(faultsOf(expression.source, expression.flags).join()).toMatch(fault);
  });

  it.each([
    /^\d+$/,
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
    /^metadata\.(?:labels|annotations)\['(.*)'\]$/,
    /^\S+ (?:stdout|stderr) (P|F)\S* (.*)$/,
    /MemTotal:\s+(\d+) kB/,
    /[ \t]*([^\s='#][^\s=']*)='/y,
    /CHACHA20_POLY1305.*/,
  ])('accepts %s', (expression) => {
    expect(faultsOf(expression.source, expression.flags)).toEqual([]);
  });
});

const MADE_UP = [
  { folder: 'src', line: 'export const exponential = /^(?:a+)+$/;', rule: 'linear-time' },
  {
    folder: 'actors',
    line: String.raw`export const cut = (text: string) => text.replace(/\/+$/, '');`,
    rule: 'linear-time',
  },
  { folder: 'src', line: 'export const built = (text: string) => new RegExp(`^${text}$`);', rule: 'not-built' },
  { folder: 'actors', line: "export const called = (text: string) => RegExp(text, 'g');", rule: 'not-built' },
  { folder: 'src', line: 'export const matched = (text: string) => text.match(`^${text}$`);', rule: 'not-built' },
  {
    folder: 'src',
    line: 'export const fine = (text: string) => text.match(/^a+$/) ?? /^b+$/.exec(text);',
    rule: undefined,
  },
];

/** Runs the command in another tree, with this project's configuration. */
describe('npm run lint', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<'check' | 'lint', string>>;
  };
  let tree = '';
  let linted = { status: null as number | null, stdout: '' };

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'lint-'));
    const rules = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
    writeFileSync(join(tree, '.oxlintrc.json'), rules.replaceAll('"./test/lint', `"${root}/test/lint`));
    writeFileSync(join(tree, 'tsconfig.json'), '{ "include": ["src", "actors"] }');
    for (const folder of ['src', 'actors']) mkdirSync(join(tree, folder));
    for (const [index, { folder, line }] of MADE_UP.entries())
      writeFileSync(join(tree, folder, `made-up-${index}.ts`), `// A made-up file.\n${line}\n`);
    const [command = '', ...options] = scripts.lint.split(' ');
    linted = spawnSync(join(root, 'node_modules/.bin', command), [...options, '-f', 'unix'], {
      cwd: tree,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env['PATH'] ?? ''}` },
    });
  }, 60_000);
  afterAll(() => {
    rmSync(tree, { recursive: true });
  });

  it('is part of npm run check', () => {
    expect(scripts.check.split(' && ')).toContain('npm run -s lint');
  });

  it('fails if an expression is rejected', () => {
    expect(linted.status).toBe(1);
  });

  it.each(MADE_UP.map((made, index) => ({ ...made, index })))(
    'reports the place of the rejected expression: $line',
    ({ folder, rule, index }) => {
      const found = linted.stdout.split('\n').filter((text) => text.startsWith(`${folder}/made-up-${index}.ts:2:`));
      const rules = found.map((text) => /regular-expressions\([\w-]+\)/.exec(text)?.[0]);
      expect(rules).toEqual(rule === undefined ? [] : [`regular-expressions(${rule})`]);
    },
  );
});
