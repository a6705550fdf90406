import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { treeOf } from '../../actors/tree.ts';
import { isSupervisor, type TreeSpec } from '../../src/actor/supervision/child.ts';
import type { AgentKind } from '../../src/agent/kind.ts';
import type { Profile } from '../../src/agent/settings.ts';
import { podThreadNames } from '../../src/agent/tree.ts';
import { root } from './read-house.ts';

const inCluster = { api: 'api', serves: true } as const;

/** Children in order of start; a supervisor as `name: strategy [its children]`. */
const drawn = (children: readonly TreeSpec[]): string =>
  children
    .map((spec) => (isSupervisor(spec) ? `${spec.name}: ${spec.strategy} [${drawn(spec.children)}]` : spec.address))
    .join(' → ');

/** Draws the supervision tree of a profile as in ARCHITECTURE.md. */
export function drawing(profile: Profile): string {
  const tree = treeOf(profile, inCluster);
  const threads = [
    { name: 'main', children: drawn(tree.main) },
    ...tree.threads.map(({ name, children }) => ({
      name,
      children: podThreadNames(tree).includes(name) ? 'pod-worker/<uid> …' : drawn(children),
    })),
  ];
  const lines = threads.map(({ name, children }, index) => {
    const branch = index === threads.length - 1 ? '└─' : '├─';
    return `${branch} ${name.padEnd(7)} ${children}`.trimEnd();
  });
  return ['root', ...lines].join('\n');
}

/** The actors that only an agent in a cluster has, in order of start. */
export function onlyInCluster(): readonly string[] {
  const addresses = (use: Parameters<typeof treeOf>[1]): readonly string[] =>
    treeOf('standard', use).threads.flatMap(({ actors }) => actors.map(({ address }) => address));
  const alone = addresses({ api: 'standalone', serves: false });
  return addresses(inCluster).filter((address) => !alone.includes(address));
}

/** One row of the table of actors. */
export interface ActorRow {
  readonly name: string;
  readonly duty: string;
  readonly thread: string;
  readonly standsOn: string;
}

/** Folders of actors whose address has another name. */
const folders: Readonly<Record<string, string>> = {
  'client-certificate': 'certificate-manager',
  'server-certificate': 'certificate-manager',
};

const folderOf = (name: string): string => {
  const folder = folders[name];
  return folder !== undefined && existsSync(join(root, 'actors', folder)) ? folder : name;
};

/** The first sentence of an actor's README: its duty. */
export function dutyOf(name: string): string {
  const [, ...lines] = readFileSync(join(root, 'actors', folderOf(name), 'README.md'), 'utf8').split('\n');
  const paragraph = lines.join('\n').trim().split('\n\n', 1)[0] ?? '';
  const [sentence = ''] = paragraph.replaceAll('\n', ' ').split(/\.(?: |$)/, 1);
  return sentence;
}

/** A row for every kind of actor, in order of start. */
export async function actorRows(): Promise<readonly ActorRow[]> {
  const kinds = new Map([
    ...treeOf('standard', { api: 'objects-folder', serves: true }).kinds,
    ...treeOf('standard', inCluster).kinds,
  ]);
  const loaded = [...kinds].map(async ([name, load]) => ({ name, kind: (await load()).kind }));
  return (await Promise.all(loaded)).map(({ name, kind }) => rowOf(name, kind));
}

const rowOf = (name: string, { runsOn, standsOn }: AgentKind): ActorRow => ({
  name: name === 'pod-worker' ? 'pod-worker/<uid>' : name,
  duty: dutyOf(name),
  thread: runsOn,
  standsOn: standsOn.map((address) => `\`${address}\``).join(', '),
});

export const formatRow = ({ name, duty, thread, standsOn }: ActorRow): string =>
  `| \`${name}\` | ${duty} | ${thread} | ${standsOn} |`;
