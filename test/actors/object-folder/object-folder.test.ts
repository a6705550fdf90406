import { describe, expect, it } from 'vitest';
import { ObjectFolder } from '../../../actors/object-folder/actor.ts';
import type { ObjectFolderProtocol } from '../../../actors/object-folder/protocol.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const map = (name: string, value: string) => `kind: ConfigMap\nmetadata: { name: ${name} }\ndata: { k: ${value} }`;
const question = (name: string) => ({ type: 'config-map', namespace: 'default', name, podUid: 'uid' }) as const;

async function folder(first: Readonly<Record<string, string>> = {}) {
  const files = new Map(Object.entries(first));
  const reads: string[] = [];
  const world = { gone: false, changed: () => {}, answered: Promise.resolve() };
  const actor = await actorUnderTest<ObjectFolderProtocol>({
    address: 'object-folder',
    make: (context) =>
      new ObjectFolder(context, {
        pollEveryMs: 20_000,
        folder: {
          async list() {
            await world.answered;
            if (world.gone) throw new Error('ENOENT: no such folder');
            return new Map([...files].map(([name, text]) => [name, text] as const));
          },
          async read(name) {
            reads.push(name);
            return files.get(name) ?? '';
          },
          watch(changed) {
            world.changed = changed;
            return () => {};
          },
        },
      }),
    others: { 'volume-manager': () => undefined },
  });
  return { ...actor, files, reads, world };
}

describe('the object folder', () => {
  it('answers from its files, from the first question on', async () => {
    const { ask } = await folder({ 'a.yaml': map('c', 'v') });
    expect(await ask(question('c'))).toMatchObject({ type: 'found', value: { data: { k: 'v' } } });
    expect(await ask(question('other'))).toEqual({ type: 'missing' });
    expect(await ask({ ...question('c'), type: 'secret' })).toEqual({ type: 'missing' });
  });

  it('reports added, changed and removed objects to the volume manager, and reads only files that may have changed', async () => {
    const { files, world, pass, take, reads } = await folder({ 'a.yaml': map('a', 'v'), 'b.yaml': map('b', 'v') });
    take('volume-manager');
    reads.length = 0;
    files.set('a.yaml', map('a', 'new'));
    files.set('c.yaml', map('c', 'v'));
    world.changed();
    await pass(50);
    expect(take('volume-manager')).toEqual([
      { type: 'objects-changed', keys: ['ConfigMap/default/a', 'ConfigMap/default/c'] },
    ]);
    expect(reads).toEqual(['a.yaml', 'c.yaml']);
    files.delete('b.yaml');
    await pass(20_000);
    expect(take('volume-manager')).toEqual([{ type: 'objects-changed', keys: ['ConfigMap/default/b'] }]);
  });

  it('is a failing duty while its disk does not answer', async () => {
    const { world, pass, logged } = await folder({ 'a.yaml': map('a', 'v') });
    const { promise, resolve } = Promise.withResolvers<void>();
    world.answered = promise;
    await pass(30_000);
    const lines = () => logged.filter((line) => /can(not)? read the folder of objects/.test(line));
    expect(lines()).toEqual([expect.stringContaining('since 10s: the list of its files has no answer yet')]);
    resolve();
    await pass(1);
    expect(lines().slice(1)).toEqual([expect.stringContaining('info: can read the folder of objects again')]);
  });

  it('stays one trouble when the hanging disk answers with an error', async () => {
    const { world, pass, logged } = await folder({ 'a.yaml': map('a', 'v') });
    const { promise, resolve } = Promise.withResolvers<void>();
    world.answered = promise;
    await pass(30_000);
    world.gone = true;
    resolve();
    await pass(30_000);
    expect(logged.filter((line) => /can(not)? read the folder of objects/.test(line))).toHaveLength(1);
  });

  it('takes the object of the later file when two files name one object', async () => {
    const { ask } = await folder({ 'a.yaml': map('c', 'first'), 'b.yaml': map('c', 'later') });
    expect(await ask(question('c'))).toMatchObject({ type: 'found', value: { data: { k: 'later' } } });
  });

  it('reports nothing when a file is rewritten with the same content', async () => {
    const { files, pass, take } = await folder({ 'a.yaml': map('a', 'v') });
    take('volume-manager');
    files.set('a.yaml', `# a remark\n${map('a', 'v')}`);
    await pass(20_000);
    expect(take('volume-manager')).toEqual([]);
  });

  it('keeps the objects of a file that became invalid, and logs the reason', async () => {
    const { files, pass, ask, logged } = await folder({ 'a.yaml': map('a', 'v') });
    files.set('a.yaml', 'kind: [');
    await pass(20_000);
    expect(await ask(question('a'))).toMatchObject({ type: 'found' });
    expect(logged).toEqual([expect.stringContaining('warn: ignoring a file of objects: a.yaml: ')]);
  });

  it('keeps all objects of an unreadable folder, and answers `unavailable` for others', async () => {
    const { world, pass, ask, logged } = await folder({ 'a.yaml': map('a', 'v') });
    world.gone = true;
    await pass(60_000);
    expect(await ask(question('a'))).toMatchObject({ type: 'found' });
    expect(await ask(question('b'))).toEqual({ type: 'unavailable', message: 'ENOENT: no such folder' });
    expect(logged).toHaveLength(1);
  });

  it('reads everything again after a crash', async () => {
    const { crash, pass, ask } = await folder({ 'a.yaml': map('a', 'v') });
    await crash();
    await pass(1_000);
    expect(await ask(question('a'))).toMatchObject({ type: 'found' });
  });
});
