import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignKeys } from './foreign-keys.ts';

/** Each line is a separate file, made up for this test. */
const wrong = {
  'reads by any text': 'export const read = (of: Record<string, string>, key: string) => of[key];',
  'reads by a text made of parts': 'export const read = (of: Record<string, string>, key: string) => of[`a${key}`];',
  'reads by a branded text':
    'export const read = (of: Record<string, string>, key: string & { readonly of?: "uid" }) => of[key];',
  'reads what may be missing':
    'export const read = (of: Record<string, string> | undefined, key: string) => of?.[key];',
  'reads by a key of no known type':
    'export const read = (of: Record<string, string>, key: never[]) => of[String(key)];',
  'reads by a generic key': 'export const read = <K extends string>(of: Record<K, string>, key: K) => of[key];',
  'sets by any text': 'export const set = (of: Record<string, string>, key: string) => { of[key] = "x"; };',
  'looks for any text': 'export const has = (of: object, key: string) => key in of;',
  'takes apart by any text':
    'export const read = (of: Record<string, string>, key: string) => { const { [key]: it } = of; return it; };',
  'reads by reflection': 'export const read = (of: object, key: string): unknown => Reflect.get(of, key);',
  'assigns a record of any keys':
    'export const all = (of: object, more: Record<string, string>) => Object.assign(of, more);',
};
const right = {
  'reads a name in the text': 'export const read = (of: Record<string, string>) => of["app"];',
  'reads one of a few names': 'export const read = (of: Record<string, string>, key: "a" | "b") => of[key];',
  'reads by a member of the type': 'export const read = <T extends { a: 1 }>(of: T, key: "a") => of[key];',
  'reads by a generic key of a few':
    'export const read = <K extends "a" | "b">(of: Record<K, string>, key: K) => of[key];',
  'reads from a list': 'export const read = (of: readonly string[], at: number) => of[at];',
  'spreads a record': 'export const all = (of: Record<string, string>, key: string) => ({ ...of, [key]: "x" });',
  'assigns known members': 'export const all = (of: object) => Object.assign(of, { a: 1 });',
  'deletes by any text': 'export const drop = (of: Record<string, string>, key: string) => { delete of[key]; };',
};

const fileOf = (rule: string): string => `${rule.replaceAll(' ', '-')}.ts`;

describe('a file that', () => {
  let root: string;
  let found: ReadonlySet<string>;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'hivelet-foreign-keys-'));
    writeFileSync(join(root, 'tsconfig.json'), '{"compilerOptions":{"strict":true,"lib":["es2024"],"types":[]}}');
    for (const [rule, text] of Object.entries({ ...wrong, ...right })) writeFileSync(join(root, fileOf(rule)), text);
    found = new Set(foreignKeys(root, () => true).map(({ file }) => file));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each(Object.keys(wrong))('%s is reported', (rule) => {
    expect(found).toContain(fileOf(rule));
  });

  it.each(Object.keys(right))('%s is not', (rule) => {
    expect(found).not.toContain(fileOf(rule));
  });
});
