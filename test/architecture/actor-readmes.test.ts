import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../actors/tree.ts';

const root = resolve(import.meta.dirname, '../..');
const actorNames = readdirSync(join(root, 'actors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const sourcesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));

const sharedFiles = sourcesBelow('src').filter((path) => !path.includes('/gen/'));
const sharedCode = sharedFiles.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');

const SECTIONS = ['Receives', 'Sends', 'Keeps', 'Fails', 'Limits'];

/** An actor's README, cut at its bold-led bullets. */
class Readme {
  readonly lines: readonly string[];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.lines = text.trimEnd().split('\n');
  }

  get title(): string {
    return this.lines[0] ?? '';
  }

  /** The actor's duty, in one sentence. */
  get duty(): string {
    return this.lines[2] ?? '';
  }

  get sections(): readonly string[] {
    return [...this.#text.matchAll(/^- \*\*(\w+)\*\*/gm)].map(([, name]) => name ?? '');
  }

  section(name: string): string {
    const [, body = ''] = this.#text.split(`\n- **${name}**`);
    return body.split('\n- **')[0] ?? '';
  }

  get words(): readonly string[] {
    return codeWordsIn(this.#text);
  }

  get text(): string {
    return this.#text;
  }
}

/** The parts of a text in backticks. */
const codeWordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? '');

const messagesIn = (text: string): readonly string[] =>
  codeWordsIn(text).filter((word) => /^[a-z]+(-[a-z]+)*$/.test(word));

const readmeOf = (actor: string): Readme => new Readme(readFileSync(join(root, 'actors', actor, 'README.md'), 'utf8'));
const protocolOf = (actor: string): string => readFileSync(join(root, 'actors', actor, 'protocol.ts'), 'utf8');

/** The questions that a protocol declares itself: each has an answer. */
function questionsOf(protocol: string): readonly string[] {
  const answers = /readonly answers: \{([\s\S]*?)\n?(?: {2})?\};\n\}/.exec(protocol)?.[1] ?? '';
  return [...answers.matchAll(/readonly '?([a-z-]+)'?:/g)].map(([, type]) => type ?? '');
}

/** Own reports and timers, where a protocol has unions of them. `undefined` when it has none. */
function reportsOf(protocol: string): readonly string[] | undefined {
  const unions = [...protocol.matchAll(/export type \w+(?:Report|Timer) =([\s\S]*?);\n(?=\n|export )/g)];
  if (unions.length === 0) return undefined;
  return unions.flatMap(([, union = '']) => [...union.matchAll(/type: '([a-z-]+)'/g)].map(([, type]) => type ?? ''));
}

interface KindFacts {
  readonly runsOn: string;
  readonly messageTypes: readonly string[];
}

/** Read as text, since loading every kind loads most of the agent. The compiler holds `messageTypes` complete. */
function kindOf(actor: string): KindFacts {
  const text = readFileSync(join(root, 'actors', actor, 'kind.ts'), 'utf8');
  const [, runsOn = ''] = /runsOn: '([a-z]+)'/.exec(text) ?? [];
  const [, types = ''] = /messageTypes: \{([^}]*)\}/.exec(text) ?? [];
  return { runsOn, messageTypes: [...types.matchAll(/'?([a-z-]+)'?: true/g)].map(([, type]) => type ?? '') };
}

const kinds: ReadonlyMap<string, KindFacts> = new Map(actorNames.map((actor) => [actor, kindOf(actor)]));

/** Messages that other actors send: questions, notices declared elsewhere, and all other messages that are not own reports. */
function messagesFromOthers(actor: string): readonly string[] {
  const protocol = protocolOf(actor);
  const questions = questionsOf(protocol);
  const reports = reportsOf(protocol);
  return (kinds.get(actor)?.messageTypes ?? []).filter((type) => {
    if (questions.includes(type) || !protocol.includes(`'${type}'`)) return true;
    return reports !== undefined && !reports.includes(type);
  });
}

describe('the README of every actor', () => {
  it('is found for each actor of the tree', () => {
    const tree = treeOf('standard', { api: 'api', serves: true });
    // One folder serves two addresses.
    const folderOf = (address: string): string => (address.endsWith('-certificate') ? 'certificate-manager' : address);
    const inTree = [...tree.kinds.keys()].map(folderOf);
    expect(inTree.filter((address) => !actorNames.includes(address))).toEqual([]);
  });

  it.each(actorNames)('%s: names its duty in one sentence of at most 90 characters', (actor) => {
    const { title, duty } = readmeOf(actor);
    expect(title.replace('# ', '').toLowerCase().replaceAll(' ', '-')).toBe(actor);
    expect(duty).toMatch(/^[A-Z][^.]*\.$/);
    expect(duty.length).toBeLessThanOrEqual(90);
  });

  it.each(actorNames)('%s: names its thread', (actor) => {
    const thread = kinds.get(actor)?.runsOn;
    expect(readmeOf(actor).lines[4]).toMatch(new RegExp(`^Thread \`${thread}(-…)?\``));
  });

  it.each(actorNames)('%s: has the sections of the template, in order', (actor) => {
    expect(readmeOf(actor).sections.filter((name) => name !== 'Never')).toEqual(SECTIONS);
    expect([...SECTIONS, 'Never']).toEqual(expect.arrayContaining([...readmeOf(actor).sections]));
  });

  it.each(actorNames)('%s: has at most 30 lines of at most 140 characters', (actor) => {
    const { lines } = readmeOf(actor);
    expect(lines.length).toBeLessThanOrEqual(30);
    expect(lines.filter((line) => line.length > 140)).toEqual([]);
  });

  it.each(actorNames)('%s: names every message that others send to it', (actor) => {
    const named = messagesIn(readmeOf(actor).section('Receives'));
    expect(messagesFromOthers(actor).filter((type) => !named.includes(type))).toEqual([]);
  });

  it.each(actorNames)('%s: names only existing messages', (actor) => {
    const own = kinds.get(actor)?.messageTypes ?? [];
    const answers = ['found', 'missing', 'unavailable'];
    const named = messagesIn(readmeOf(actor).section('Receives'));
    expect(named.filter((word) => !own.includes(word) && !answers.includes(word))).toEqual([]);
  });

  it.each(actorNames)('%s: sends only messages that some actor has', (actor) => {
    const all = [...kinds.values()].flatMap(({ messageTypes }) => messageTypes);
    // Two lanes of the CRI gateway are named as well.
    const lanes = ['background', 'probe'];
    const named = messagesIn(readmeOf(actor).section('Sends'));
    expect(named.filter((word) => !all.includes(word) && !lanes.includes(word))).toEqual([]);
  });

  it.each(actorNames)('%s: names only files, folders and constants that exist', (actor) => {
    const own = sourcesBelow(`actors/${actor}`);
    const files = [...own, ...sharedFiles].map((path) => `/${path}`);
    const code = sharedCode + own.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const missing = readmeOf(actor).words.filter((word) => {
      if (/^[a-z-]+\.ts$/.test(word)) return !files.some((path) => path.endsWith(`/${word}`));
      if (/^src\/[\w/-]+$/.test(word)) return !existsSync(join(root, word));
      return /^[A-Z]+(_[A-Z]+)*$/.test(word) && !new RegExp(`\\b${word}\\b`).test(code);
    });
    expect(missing).toEqual([]);
  });

  it.each(actorNames)('%s: is plain English', (actor) => {
    const prose = readmeOf(actor).text.replaceAll(/`[^`\n]+`/g, '');
    expect(prose.match(/\b(told|said|heard|whoever|nobody|anew)\b/gi)).toBeNull();
  });
});

describe('the reader of a protocol’s messages', () => {
  it('finds the questions of a protocol by their answers', () => {
    expect(questionsOf(protocolOf('pleg'))).toEqual(['pod-status', 'runtime-pods', 'running-logs', 'pleg-health']);
    expect(questionsOf(protocolOf('event-recorder'))).toEqual(['event-figures']);
    expect(questionsOf(protocolOf('oom-watcher'))).toEqual([]);
  });

  it('finds the thread and the messages of a kind', () => {
    expect(kindOf('oom-watcher')).toEqual({ runsOn: 'volumes', messageTypes: ['read-due'] });
    expect(
      [...kinds.values()].filter(({ runsOn, messageTypes }) => runsOn === '' || messageTypes.length === 0),
    ).toEqual([]);
  });

  it('finds only questions that the actor receives', () => {
    for (const actor of actorNames) {
      expect(kinds.get(actor)?.messageTypes).toEqual(expect.arrayContaining([...questionsOf(protocolOf(actor))]));
    }
  });

  it('separates commands of others from own reports', () => {
    expect(messagesFromOthers('mirror-pods')).not.toContain('step-ended');
    expect(messagesFromOthers('mirror-pods')).toContain('static-pod-present');
  });
});

const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/${name}`);

describe('the README of every folder of src', () => {
  it.each(folders)('%s: exists, and names only files that exist', (folder) => {
    const words = codeWordsIn(readFileSync(join(root, folder, 'README.md'), 'utf8'));
    const all = ['src', 'actors', 'test', 'bench'].flatMap(sourcesBelow).map((path) => `/${path}`);
    const named = words.filter((word) => /^[\w/-]+\.ts$/.test(word));
    expect(named.filter((word) => !all.some((path) => path.endsWith(`/${word}`)))).toEqual([]);
  });
});

describe.each(['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'bench/RESULTS.md', 'bench/NOTES.md'])(
  '%s',
  (file) => {
    const text = readFileSync(join(root, file), 'utf8');

    it('links only to files that exist', () => {
      const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path]) => path ?? '');
      expect(links.filter((path) => !existsSync(join(root, file, '..', path)))).toEqual([]);
    });

    it('names only files and folders that exist', () => {
      const paths = codeWordsIn(text).filter((word) => /^(src|actors|test|bench|examples)\/[\w/.-]*$/.test(word));
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    });
  },
);
