import { layers, underActorRuntime } from './layers.ts';

/** One import of a file by another, both as paths from the root. Types count. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** `true` for an import on demand, by `import(…)`. */
  readonly isLazy: boolean;
}

/** The index of the layer of a file. `undefined` when no layer has it. */
export function layerOf(file: string): number | undefined {
  const fits = (layer: string): boolean => file === layer || file.startsWith(`${layer}/`);
  const [longest] = layers.filter(fits).toSorted((one, other) => other.length - one.length);
  return longest === undefined ? undefined : layers.indexOf(longest);
}

/** Every import that leads upwards, in words. */
export const wrongWay = (imports: readonly Import[]): readonly string[] =>
  imports
    .filter(({ from, to }) => (layerOf(to) ?? Infinity) > (layerOf(from) ?? -1))
    .map(({ from, to }) => `${from} imports ${to}, which is above it`);

/** Every import of the actor runtime from other folders, in words. */
export const outOfActorRuntime = (imports: readonly Import[]): readonly string[] =>
  imports
    .filter(
      ({ from, to }) => from.startsWith('src/actor/') && !underActorRuntime.some((room) => to.startsWith(`${room}/`)),
    )
    .map(({ from, to }) => `${from} imports ${to}: the actor runtime stands alone`);

const actorOf = (file: string): string | undefined => /^actors\/([^/]+)\//.exec(file)?.[1];

/** Every import of another actor's inside, in words. */
export const trespassing = (imports: readonly Import[]): readonly string[] =>
  imports
    .filter(({ from, to }) => {
      const [asking, asked] = [actorOf(from), actorOf(to)];
      const isOpen = to.endsWith('/protocol.ts') || to.endsWith('/client.ts');
      return asking !== undefined && asked !== undefined && asking !== asked && !isOpen;
    })
    .map(({ from, to }) => `${from} imports ${to}: only the protocol and the client of another actor are open`);

/** Every import of a protocol from its actor's other files, in words. */
export const insideOut = (imports: readonly Import[]): readonly string[] =>
  imports
    .filter(
      ({ from, to }) => from.endsWith('/protocol.ts') && actorOf(from) !== undefined && actorOf(to) === actorOf(from),
    )
    .map(({ from, to }) => `${from} imports ${to}: a protocol knows nothing of the inside`);

/** Every import cycle, each as its files in order. Imports on demand are ignored. */
export function circles(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to, isLazy } of imports) {
    if (!isLazy) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const found: string[][] = [];
  const state = new Map<string, 'open' | 'closed'>();
  const path: string[] = [];
  const visit = (file: string): void => {
    state.set(file, 'open');
    path.push(file);
    for (const each of next.get(file) ?? []) {
      if (state.get(each) === 'open') found.push([...path.slice(path.indexOf(each)), each]);
      else if (!state.has(each)) visit(each);
    }
    path.pop();
    state.set(file, 'closed');
  };
  for (const file of next.keys()) if (!state.has(file)) visit(file);
  return found;
}

/** Folders with too many files directly in them, in words. */
export function fullRooms(files: readonly string[], most = 25): readonly string[] {
  const rooms = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf('/')));
  return [...rooms]
    .filter(([, inside]) => inside.length > most)
    .map(([room, inside]) => `${room} has ${inside.length} files: look for its wall`);
}
