import { faultCodes } from '../../src/actor/fault.ts';
import { actorRows, drawing, formatRow, onlyInCluster } from './draw-tree.ts';

/** Cells of a row of a Markdown table, whatever its padding. */
const cells = (row: string): string =>
  row
    .split('|')
    .map((cell) => cell.trim())
    .join('|');

const aloneSentence = (): string =>
  `Without an API server there is no ${onlyInCluster()
    .map((name) => `\`${name}\``)
    .join(', ')}.`;

const DRAWINGS = /(?<=```\n)root\n[^`]*(?=\n```)/g;
const TABLE = /(?<=\| actor [^\n]*\n\| -[^\n]*\n)(?:\|[^\n]*\n)+/;
const ALONE = /Without an API server there is no [^.]*\./;

/** ARCHITECTURE.md with the drawings, the table and the sentence that follow from the tree. Not yet formatted. */
export async function withTree(document: string): Promise<string> {
  const drawings = (['standard', 'compact'] as const).map(drawing);
  const rows = (await actorRows()).map((row) => `${formatRow(row)}\n`).join('');
  return document
    .replace(DRAWINGS, (drawn) => drawings.shift() ?? drawn)
    .replace(TABLE, () => rows)
    .replace(ALONE, aloneSentence);
}

/** Returns the wrong statements of ARCHITECTURE.md, in words. */
export async function untrueInDocument(document: string): Promise<readonly string[]> {
  const lines = new Set(document.split('\n').map(cells));
  const rows = await actorRows();
  const missing = rows.map(formatRow).filter((row) => !lines.has(cells(row)));
  const known = new Set(rows.map(({ name }) => name));
  const section = document.slice(document.indexOf('| actor '), document.indexOf('## A pod'));
  const written = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
  const drawings = (['standard', 'compact'] as const).filter((profile) => !document.includes(drawing(profile)));
  const alone = aloneSentence();
  const faults = document.slice(document.indexOf('## Faults'), document.indexOf('## Layout'));
  const documented = [...faults.matchAll(/^\| `([a-z-]+)`\s*\|/gm)].map(([, code = '']) => code);
  return [
    ...missing.map((row) => `the table of actors lacks the row: ${row}`),
    ...written.filter((name) => !known.has(name)).map((name) => `the table of actors has ${name}, which is no actor`),
    ...written.filter((name, index) => written.indexOf(name) !== index).map((name) => `the table has ${name} twice`),
    ...drawings.map((profile) => `the drawing of the profile ${profile} is to be:\n${drawing(profile)}`),
    ...(document.replaceAll('\n', ' ').includes(alone) ? [] : [`this sentence is missing: ${alone}`]),
    ...(documented.join() === faultCodes.join() ? [] : [`the fault codes are to be: ${faultCodes.join(', ')}`]),
  ];
}
