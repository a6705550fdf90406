import { describe, expect, it } from 'vitest';
import type { JobLoss, ParseOutcome } from '../../../actors/job-pool/protocol.ts';
import { PodSourceFile } from '../../../actors/pod-source-file/actor.ts';
import type { ManifestFolder } from '../../../actors/pod-source-file/manifest-folder.ts';
import type { PodSourceFileProtocol } from '../../../actors/pod-source-file/protocol.ts';
import type { PodSourceChange } from '../../../src/pod/source/pod-source-change.ts';
import { pod } from '../../pod/pods.ts';
import { keptInMemory } from '../../simulation/node/manifest-disk.ts';
import type { RecordEvent } from '../../../src/kube/event.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

/** A folder in memory: by file, the UID of the pod in it. Its scans and watches are counted. */
class FakeFolder implements ManifestFolder {
  readonly files = new Map<string, string>();
  readonly #writes = new Map<string, number>();
  leftOut: ReadonlyMap<string, string> = new Map();
  problem: { readonly missing: boolean; readonly problem: string } | undefined;
  lists = 0;
  looks: (readonly string[])[] = [];
  watches = 0;
  closed = 0;
  watchProblem: string | undefined;
  changed: Parameters<ManifestFolder['watch']>[0] = () => {};
  ended: (problem: string) => void = () => {};

  answered = Promise.resolve();

  list: ManifestFolder['list'] = async () => {
    this.lists += 1;
    await this.answered;
    if (this.problem !== undefined) return { ok: false, ...this.problem };
    return { ok: true, scope: 'everything', files: this.#signatures(), leftOut: this.leftOut, tooMany: 0 };
  };

  look: ManifestFolder['look'] = async (names) => {
    this.looks.push(names);
    const files = new Map([...this.#signatures()].filter(([file]) => names.includes(file)));
    return { ok: true, scope: 'names', files, gone: names.filter((name) => !files.has(name)), leftOut: new Map() };
  };

  watch: ManifestFolder['watch'] = (changed, ended) => {
    this.watches += 1;
    [this.changed, this.ended] = [changed, ended];
    if (this.watchProblem !== undefined) ended(this.watchProblem);
    return () => void (this.closed += 1);
  };

  /** Writes a file, and the file system reports the change. */
  write(file: string, uid: string): void {
    const isNew = !this.files.has(file);
    this.files.set(file, uid);
    this.#writes.set(file, (this.#writes.get(file) ?? 0) + 1);
    if (isNew) this.changed(file, 'entry');
    this.changed(file, 'content');
  }

  #signatures(): ReadonlyMap<string, string> {
    return new Map([...this.files].map(([file, uid]) => [file, `${uid} ${this.#writes.get(file) ?? 0}`]));
  }

  /** Removes a file, and the file system tells of it. */
  remove(file: string): void {
    if (this.files.delete(file)) this.changed(file, 'entry');
  }
}

const NEVER_PARSED = 'poison';
const BROKEN = 'broken';

/** Omits heartbeats of the source. */
function newsOnly(): (changes: readonly PodSourceChange[]) => readonly PodSourceChange[] {
  let known = false;
  return (changes) =>
    changes.filter(({ set, gone, number, complete }) => {
      const isNews = set.length + gone.length > 0 || number === 1 || complete !== known;
      known = complete;
      return isNews;
    });
}

async function source(files: Readonly<Record<string, string>> = {}, loss: JobLoss = 'failed') {
  const folder = new FakeFolder();
  for (const [file, uid] of Object.entries(files)) folder.files.set(file, uid);
  const jobs: (readonly string[])[] = [];
  const lost = { jobs: 0 };
  const parse = (paths: readonly string[]): unknown => {
    jobs.push(paths);
    if (lost.jobs > 0 || paths.some((path) => folder.files.get(path) === NEVER_PARSED)) {
      lost.jobs -= 1;
      return { ok: false, loss, problem: 'its thread ended' };
    }
    const value = paths.map((path): ParseOutcome => {
      const uid = folder.files.get(path) ?? '';
      if (uid === BROKEN) return { path, ok: false, fault: 'malformed', problem: 'it is broken', problems: [] };
      return { path, ok: true, pod: pod({ metadata: { uid, name: `pod-${path.split('~', 1)[0]}` } }), sizeBytes: 1 };
    });
    return { ok: true, value };
  };
  const kept = keptInMemory();
  const events: string[] = [];
  const recordEvent: RecordEvent = ({ object, reason, message }) =>
    void events.push(`${object.name} ${object.uid} ${reason} ${message}`);
  const prepared = { folder, kept, jobs, lost, events };
  const begin = async (prepare: (all: typeof prepared) => void = () => {}) => {
    prepare(prepared);
    const actor = await actorUnderTest<PodSourceFileProtocol>({
      address: 'pod-source-file',
      make: (context) =>
        new PodSourceFile(context, { folder, kept, nodeName: 'node', pollEveryMs: 20_000, recordEvent }),
      others: {
        'job-pool': (question) =>
          parse((question as unknown as { files: { path: string }[] }).files.map(({ path }) => path)),
        'pod-manager': () => undefined,
      },
    });
    const news = newsOnly();
    return {
      ...prepared,
      ...actor,
      /** The reports to the pod manager, in a few words. */
      said: (): readonly string[] =>
        news(actor.take('pod-manager') as unknown as readonly PodSourceChange[]).map(
          ({ set, gone, number, complete }) =>
            [
              ...(number === 1 ? ['begins'] : []),
              ...gone.map((uid) => `-${uid}`),
              ...set.map(({ metadata }) => `+${metadata.uid}`),
              ...(complete ? ['complete'] : []),
            ].join(' '),
        ),
    };
  };
  return { ...prepared, begin };
}

describe('the file source at its start', () => {
  it('is a failing duty while its disk does not answer, and its pods stay', async () => {
    const { begin, folder } = await source({ 'a.yaml': 'a' });
    const { pass, logged, take } = await begin();
    take('pod-manager');
    const { promise, resolve } = Promise.withResolvers<void>();
    folder.answered = promise;
    await pass(40_000);
    const lines = () => logged.filter((line) => /can(not)? read the static pod folder/.test(line));
    expect(lines()).toEqual([expect.stringContaining('since 10s: the list of its files has no answer yet')]);
    resolve();
    await pass(1);
    expect(lines().slice(1)).toEqual([expect.stringContaining('info: can read the static pod folder again')]);
  });

  it('reads every file and then reports that the list is complete', async () => {
    const { said, jobs } = await (await source({ a: '1', b: '2' })).begin();
    expect(jobs).toEqual([['a', 'b']]);
    expect(said()).toEqual(['begins +1 +2', 'complete']);
  });

  it('reports an empty folder as complete', async () => {
    expect((await (await source()).begin()).said()).toEqual(['begins complete']);
  });

  it('reports the unused one of two files with the same pod name, in an event of the pod too', async () => {
    const { said, events, logged } = await (await source({ a: '1', 'a~2': '2', b: '3' })).begin();
    expect(said()).toEqual(['begins +1 +3', 'complete']);
    const problem = 'pod shop/pod-a is already defined in a; this file is ignored';
    expect(events).toEqual([`pod-a 2 FailedValidation ${problem}`]);
    expect(logged).toEqual([`error: a~2: ${problem}`]);
  });

  it('treats a missing folder as empty, and reports it once', async () => {
    const { said, logged, pass } = await (
      await source()
    ).begin(({ folder }) => (folder.problem = { missing: true, problem: 'no such folder' }));
    await pass(60_000);
    expect(said()).toEqual(['begins complete']);
    expect(logged).toEqual(['error: static pods: no such folder']);
  });

  it('keeps all pods while the folder cannot be read', async () => {
    const { said, folder, pass } = await (
      await source({ a: '1' })
    ).begin((all) => (all.folder.problem = { missing: false, problem: 'permission denied' }));
    expect(said()).toEqual([]);
    folder.problem = undefined;
    await pass(20_000);
    expect(said()).toEqual(['begins +1', 'complete']);
  });

  it('parses at most 50 files at once', async () => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}`, `${index}`]));
    const { jobs } = await (await source(files)).begin();
    expect(jobs.map((job) => job.length)).toEqual([50, 50, 20]);
  });

  it('reports each entry that is not a file once by its name, and again when it returns', async () => {
    const { folder, logged, pass, said } = await (
      await source({ a: '1' })
    ).begin((all) => {
      all.folder.leftOut = new Map([
        ['/m/sub', 'a folder'],
        ['/m/pipe.yaml', 'a named pipe'],
      ]);
    });
    await pass(40_000);
    expect(said()).toEqual(['begins +1', 'complete']);
    const complaints = [
      'error: /m/sub: ignoring the entry: it is a folder, not a regular file',
      'error: /m/pipe.yaml: ignoring the entry: it is a named pipe, not a regular file',
    ];
    expect(logged).toEqual(complaints);
    const before = folder.leftOut;
    folder.leftOut = new Map();
    await pass(20_000);
    folder.leftOut = before;
    await pass(20_000);
    expect(logged).toEqual([...complaints, ...complaints]);
  });

  it('names twenty entries that are no files, and counts the others', async () => {
    const { logged } = await (
      await source()
    ).begin(({ folder }) => {
      folder.leftOut = new Map(Array.from({ length: 23 }, (_, index) => [`/m/${index}`, 'a socket']));
    });
    expect(logged).toHaveLength(21);
    expect(logged.at(-1)).toBe('error: more entries of the static pod folder are ignored');
  });
});

describe('the file source, notified by the file system', () => {
  it('reads only these files, 50 ms after the first notice', async () => {
    const { folder, said, pass, quiet } = await (await source({ a: '1', b: '2' })).begin();
    said();
    folder.write('a', '3');
    folder.write('c', '4');
    await quiet();
    await pass(49);
    expect(folder.looks).toEqual([]);
    await pass(1);
    expect(folder.looks).toEqual([['a', 'c']]);
    expect(said()).toEqual(['-1 +3 +4 complete']);
    expect(folder.lists).toBe(1);
  });

  it('is not delayed by a file that changes all the time', async () => {
    const { folder, said, pass } = await (await source({ a: '1' })).begin();
    said();
    for (let turn = 0; turn < 20; turn += 1) {
      folder.write('a', `${turn}`);
      await pass(10);
    }
    expect(said().length).toBeGreaterThan(2);
  });

  it('drops the pod of a removed file', async () => {
    const { folder, said, pass, quiet } = await (await source({ a: '1' })).begin();
    said();
    folder.remove('a');
    await quiet();
    await pass(50);
    expect(said()).toEqual(['-1 complete']);
  });

  it.each([
    { change: 'removed and written again', uid: '1', entries: 2, told: ['-1 +1 complete'] },
    {
      change: 'removed and written again broken: its last good pod goes',
      uid: BROKEN,
      entries: 2,
      told: ['-1 complete'],
    },
    { change: 'written over', uid: '1', entries: 0, told: ['+1 complete'] },
    { change: 'replaced at once by a file of the same content', uid: '1', entries: 1, told: ['+1 complete'] },
    { change: 'replaced at once by a broken file: its last good pod stays', uid: BROKEN, entries: 1, told: [] },
  ])('reports what became of a file that was $change', async ({ uid, entries, told }) => {
    const { folder, said, pass, quiet } = await (await source({ a: '1' })).begin();
    said();
    for (let entry = 0; entry < entries; entry += 1) folder.changed('a', 'entry');
    folder.write('a', uid);
    await quiet();
    await pass(50);
    expect(said()).toEqual(told);
  });

  it('notices a file that went before a look and was back when the look came to it', async () => {
    const { folder, said, pass, quiet } = await (await source({ a: '1' })).begin();
    said();
    const { look } = folder;
    folder.look = async (names) => {
      folder.look = look;
      folder.write('a', '1');
      return look(names);
    };
    folder.remove('a');
    await quiet();
    await pass(50);
    expect(said()).toEqual(['-1 +1 complete']);
    await pass(50);
    expect(said()).toEqual([]);
  });

  it('reads again after a notice during a read', async () => {
    const { folder, said, pass, quiet } = await (await source({ a: '1' })).begin();
    said();
    const look = folder.look;
    let go = (): void => {};
    folder.look = async (names) => {
      await new Promise<void>((resolve) => (go = resolve));
      return look(names);
    };
    folder.write('a', '2');
    await quiet();
    await pass(50);
    folder.look = look;
    folder.write('b', '3');
    await quiet();
    await pass(50);
    expect(said()).toEqual([]);
    go();
    await quiet();
    expect(said()).toEqual(['-1 +2 complete', '+3 complete']);
  });
});

describe('the file source without notices', () => {
  it('reads every file each 20 s, also after notices', async () => {
    const { folder, said, pass } = await (await source({ a: '1' })).begin();
    said();
    folder.files.set('a', '2');
    await pass(19_999);
    expect(said()).toEqual([]);
    await pass(1);
    expect(said()).toEqual(['-1 +2 complete']);
    await pass(20_000);
    expect(folder.lists).toBe(3);
    expect(said()).toEqual([]);
  });

  it('drops every pod when the folder is removed, and adds them when it is back', async () => {
    const { folder, said, pass } = await (await source({ a: '1' })).begin();
    said();
    folder.problem = { missing: true, problem: 'gone' };
    await pass(20_000);
    expect(said()).toEqual(['-1 complete']);
    folder.problem = undefined;
    await pass(20_000);
    expect(said()).toEqual(['+1 complete']);
  });

  it('keeps every pod while the folder cannot be read', async () => {
    const { folder, said, pass } = await (await source({ a: '1' })).begin();
    said();
    folder.problem = { missing: false, problem: 'input/output error' };
    await pass(60_000);
    expect(said()).toEqual([]);
  });

  it('watches again after 1 s, 2 s and so on up to 20 s, and reads everything then', async () => {
    const { folder, pass } = await (await source()).begin((all) => (all.folder.watchProblem = 'too many watches'));
    const at: number[] = [];
    let known = folder.watches;
    for (let second = 1; second <= 80; second += 1) {
      await pass(1_000);
      if (folder.watches === known) continue;
      known = folder.watches;
      at.push(second);
    }
    expect(at).toEqual([1, 3, 7, 15, 31, 51, 71]);
    expect(folder.lists).toBeGreaterThanOrEqual(8);
  });

  it('closes its watch when it stops, and after the watch has ended', async () => {
    const { folder, host, crash, pass, quiet } = await (await source()).begin();
    const { changed } = folder;
    await crash();
    await pass(10_000);
    changed('a', 'content');
    expect(folder.closed).toBe(1);
    await host.stopActor('pod-source-file');
    await quiet();
    expect(folder.closed).toBe(2);
  });
});

describe('a lost job', () => {
  it('leaves the source incomplete, and is repeated file by file', async () => {
    const { said, jobs, lost, pass } = await (await source({ a: '1', b: '2' })).begin((all) => (all.lost.jobs = 3));
    expect(jobs).toEqual([['a', 'b'], ['a'], ['b']]);
    expect(said()).toEqual([]);
    expect(lost.jobs).toBe(0);
    await pass(1_000);
    expect(said()).toEqual(['begins +1 +2', 'complete']);
  });

  it('does not hold up other files, and is repeated at longer intervals', async () => {
    const { said, jobs, pass } = await (await source({ a: '1', b: NEVER_PARSED })).begin();
    expect(said()).toEqual(['begins +1']);
    await pass(10_000);
    expect(said()).toEqual([]);
    expect(jobs.map(([first]) => first)).toEqual(['a', 'a', 'b', 'b', 'b', 'b']);
  });

  it('caused repeatedly by one file affects no other file once that file is abandoned', async () => {
    const { folder, said, jobs, logged, pass } = await (await source({ a: '1', b: NEVER_PARSED })).begin();
    await pass(60_000);
    expect(said()).toEqual(['begins +1', 'complete']);
    expect(logged.filter((line) => line.startsWith('error'))).toEqual([
      'error: b: cannot parse the manifest; retrying in 10 minutes or when the file changes: its thread ended',
    ]);
    const before = jobs.length;
    await pass(300_000);
    expect(jobs).toHaveLength(before);
    folder.write('b', '2');
    await pass(50);
    expect(said()).toEqual(['+2 complete']);
  });

  it('after a timeout is repeated with that file alone only ten minutes later', async () => {
    const { folder, said, jobs, pass } = await (await source({ a: '1', b: NEVER_PARSED }, 'too-long')).begin();
    expect(said()).toEqual(['begins +1', 'complete']);
    expect(jobs).toEqual([['a', 'b'], ['a'], ['b']]);
    await pass(590_000);
    expect(jobs).toHaveLength(3);
    folder.files.set('b', NEVER_PARSED);
    await pass(40_000);
    expect(jobs).toEqual([['a', 'b'], ['a'], ['b'], ['b']]);
  });

  it('that never ran blames no file: its files are tried together again', async () => {
    const { said, jobs, lost, pass } = await (
      await source({ a: '1', b: '2' }, 'not-run')
    ).begin((all) => (all.lost.jobs = 3));
    await pass(10_000);
    expect(lost.jobs).toBe(0);
    expect(jobs).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(said()).toEqual(['begins +1 +2', 'complete']);
  });
});

describe('a pod manager that asks for all pods', () => {
  it('gets them in a new session', async () => {
    const { said, tell, take } = await (await source({ a: '1', b: '2' })).begin();
    const first = take('pod-manager') as unknown as readonly PodSourceChange[];
    await tell({ type: 'send-all' });
    const second = take('pod-manager') as unknown as readonly PodSourceChange[];
    expect(second).toMatchObject([{ number: 1, complete: true, gone: [] }]);
    expect(second[0]?.set).toHaveLength(2);
    expect(second[0]?.session).not.toEqual(first[0]?.session);
    await tell({ type: 'send-all' });
    expect(said()).toEqual(['begins +1 +2 complete']);
  });

  it('gets a new session from a restarted source', async () => {
    const { take, crash, pass } = await (await source({ a: '1' })).begin();
    const [first] = take('pod-manager') as unknown as readonly PodSourceChange[];
    await crash();
    await pass(10_000);
    const [second] = take('pod-manager') as unknown as readonly PodSourceChange[];
    expect(second).toMatchObject({ number: 1 });
    expect(second?.session).not.toEqual(first?.session);
  });
});

describe('a file that became invalid', () => {
  it('keeps its pod when the source crashes, and when the agent restarts', async () => {
    const { begin, kept } = await source({ a: '1', b: '2' });
    const first = await begin();
    first.said();
    first.folder.write('a', BROKEN);
    await first.pass(100);
    expect(first.said()).toEqual([]);
    expect([...kept.pods.keys()]).toEqual(['a']);
    await first.crash();
    await first.pass(0);
    expect(first.said().join(' ')).toBe('begins +1 +2 complete');
    const next = await begin();
    expect(next.said().join(' ')).toBe('begins +1 +2 complete');
  });

  it('is read again before its saved pod is used: it may have been repaired, or removed', async () => {
    const { begin, folder, kept } = await source({ a: '1', b: '2', c: '3' });
    const first = await begin();
    for (const file of ['a', 'b', 'c']) folder.write(file, BROKEN);
    await first.pass(100);
    expect(kept.pods.size).toBe(3);
    folder.files.set('a', '4');
    folder.files.delete('b');
    const next = await begin();
    expect(next.said().join(' ')).toBe('begins +4 +3 complete');
    expect([...kept.pods.keys()]).toEqual(['c']);
  });

  it('keeps its pod when it cannot be saved on disk, and logs one error', async () => {
    const { begin, folder, kept } = await source({ a: '1' });
    const full = await begin(() => Object.assign(kept, { keep: () => 'no space left' }));
    full.said();
    folder.write('a', BROKEN);
    await full.pass(100);
    await full.pass(20_000);
    expect(full.said()).toEqual([]);
    expect(full.logged.filter((line) => line.includes('cannot be saved'))).toHaveLength(1);
  });

  it('with a damaged saved pod is reported once, and the other files are read', async () => {
    const { begin, kept } = await source({ a: BROKEN, b: '2' });
    const damaged = { pods: new Map(), problems: ['x.json is damaged'] };
    const it = await begin(() => Object.assign(kept, { read: () => damaged }));
    expect(it.said().join(' ')).toBe('begins +2 complete');
    expect(it.logged).toContain('error: static pods: x.json is damaged');
  });
});
