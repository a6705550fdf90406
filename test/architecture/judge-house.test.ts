import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { untrueInDocument } from './judge-document.ts';
import { circles, fullRooms, insideOut, outOfActorRuntime, trespassing, wrongWay, type Import } from './judge-house.ts';
import { root } from './read-house.ts';

const made = (...pairs: readonly (readonly [from: string, to: string])[]): readonly Import[] =>
  pairs.map(([from, to]) => ({ from, to, isLazy: false }));

describe('the check of the house', () => {
  it.each([
    { fault: 'a circle', found: circles(made(['src/kube/a.ts', 'src/kube/b.ts'], ['src/kube/b.ts', 'src/kube/a.ts'])) },
    { fault: 'an import upwards', found: wrongWay(made(['src/kube/a.ts', 'src/node/b.ts'])) },
    { fault: 'an import of a later room', found: wrongWay(made(['src/pod/values/a.ts', 'src/pod/status/b.ts'])) },
    { fault: 'a runtime that knows Kubernetes', found: outOfActorRuntime(made(['src/actor/a.ts', 'src/kube/b.ts'])) },
    {
      fault: "an import of another actor's inside",
      found: trespassing(made(['actors/a/actor.ts', 'actors/b/state.ts'])),
    },
    {
      fault: 'a protocol that imports its inside',
      found: insideOut(made(['actors/a/protocol.ts', 'actors/a/state.ts'])),
    },
    { fault: 'a room that is too full', found: fullRooms(Array.from({ length: 26 }, (_, each) => `src/x/${each}.ts`)) },
  ])('finds $fault', ({ found }) => {
    expect(found).toHaveLength(1);
  });

  it.each([
    { what: 'an import downwards', found: wrongWay(made(['src/node/a.ts', 'src/kube/b.ts'])) },
    { what: "another actor's protocol", found: trespassing(made(['actors/a/actor.ts', 'actors/b/protocol.ts'])) },
    { what: "another actor's client", found: trespassing(made(['actors/a/kind.ts', 'actors/b/client.ts'])) },
    {
      what: 'an import on demand',
      found: circles([
        { from: 'src/a.ts', to: 'src/b.ts', isLazy: false },
        { from: 'src/b.ts', to: 'src/a.ts', isLazy: true },
      ]),
    },
  ])('accepts $what', ({ found }) => {
    expect(found).toEqual([]);
  });

  it('finds a wrong row in ARCHITECTURE.md', async () => {
    const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    expect(await untrueInDocument(document)).toEqual([]);
    expect(await untrueInDocument(document.replace(/^\| `pleg` +\|/m, '| `relister` |'))).toHaveLength(2);
  });
});

const actorFolders = readdirSync(join(root, 'actors')).filter((name) =>
  statSync(join(root, 'actors', name)).isDirectory(),
);

describe('an actor folder', () => {
  it('has the same files as every other', () => {
    const missing = actorFolders.flatMap((folder) =>
      ['README.md', 'protocol.ts', 'actor.ts', 'kind.ts']
        .filter((name) => !existsSync(join(root, 'actors', folder, name)))
        .map((name) => `actors/${folder}/${name}`),
    );
    expect(missing).toEqual([]);
  });

  // A file with a mutable class is named after the class: `call-queue.ts`, `pod-records.ts`.
  it('keeps state.ts for immutable state and pure decisions', () => {
    const changing = actorFolders
      .map((folder) => `actors/${folder}/state.ts`)
      .filter((path) => existsSync(join(root, path)))
      .filter((path) => /^(export )?class /m.test(readFileSync(join(root, path), 'utf8')));
    expect(changing).toEqual([]);
  });
});
