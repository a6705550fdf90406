import { array, assert, asyncProperty, nat, string } from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ContainerLogOptions } from '../../../src/serving/logs/container-log-options.ts';
import { readContainerLog, UnreadableLog, type LogSource } from '../../../src/serving/logs/read-container-log.ts';
import { manualClock, settled, type ManualClock } from '../../support/manual-clock.ts';
import { MemoryLogFiles } from '../memory-log-files.ts';

const PATH = '/var/log/pods/a_b_c/main/0.log';

const everything: ContainerLogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
  stream: 'All',
};

const record = (text: string, { second = 0, stream = 'stdout', tag = 'F' } = {}): string =>
  `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000001Z ${stream} ${tag} ${text}\n`;

let files: MemoryLogFiles;
let clock: ManualClock;
let running: boolean;
let leave: AbortController;

beforeEach(() => {
  files = new MemoryLogFiles();
  clock = manualClock();
  running = true;
  leave = new AbortController();
});

const source = (): LogSource => ({
  files,
  path: PATH,
  isRunning: () => Promise.resolve(running),
  clock,
  signal: leave.signal,
});

async function read(options: Partial<ContainerLogOptions> = {}): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of readContainerLog(source(), { ...everything, ...options })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a container log', () => {
  const lines = [
    record('one', { second: 1 }),
    record('two ', { second: 2, tag: 'P' }),
    record('halves', { second: 3 }),
    record('wrong', { second: 4, stream: 'stderr' }),
  ].join('');

  it.each<[string, Partial<ContainerLogOptions>, string]>([
    ['is read from its start', {}, 'one\ntwo halves\nwrong\n'],
    [
      'has an instant before each line, not before each part of it',
      { timestamps: true },
      '2026-01-01T00:00:01.000000001Z one\n2026-01-01T00:00:02.000000001Z two halves\n2026-01-01T00:00:04.000000001Z wrong\n',
    ],
    ['leaves out what is older', { since: Date.UTC(2026, 0, 1, 0, 0, 3) }, 'halves\nwrong\n'],
    ['gives one stream', { stream: 'Stderr' }, 'wrong\n'],
    ['gives the other stream', { stream: 'Stdout' }, 'one\ntwo halves\n'],
    ['gives the last records', { tailLines: 2 }, 'halves\nwrong\n'],
    ['gives no record of those that are there', { tailLines: 0 }, ''],
    ['gives all when more are asked for', { tailLines: 100 }, 'one\ntwo halves\nwrong\n'],
    ['is cut after so many bytes', { limitBytes: 6 }, 'one\ntw'],
    ['counts instants as bytes too', { timestamps: true, limitBytes: 12 }, '2026-01-01T0'],
  ])('%s', async (_, options, text) => {
    files.append(PATH, lines);
    expect(await read(options)).toBe(text);
    expect(files.opened).toBe(0);
  });

  it('returns an unfinished last record', async () => {
    files.append(PATH, `${record('one')}${record('two').trimEnd()}`);
    expect(await read()).toBe('one\ntwo');
    expect(await read({ tailLines: 2 })).toBe('one\ntwo');
  });

  it.each([0, 1])('has no more than its last %d records, the unfinished record left out', async (tailLines) => {
    files.append(PATH, `${record('one')}${record('two').trimEnd()}`);
    expect(await read({ tailLines })).toBe('one\n'.repeat(tailLines));
  });

  it('counts no malformed line as a record', async () => {
    files.append(PATH, `${record('zero')}${record('one')}\u0000\u0000\n${record('two').trimEnd()}`);
    expect(await read({ tailLines: 2 })).toBe('one\ntwo');
  });

  it("reads Docker's format", async () => {
    files.append(PATH, '{"log":"one\\n","stream":"stdout","time":"2026-01-01T00:00:01.5Z"}\n');
    expect(await read({ timestamps: true })).toBe('2026-01-01T00:00:01.5Z one\n');
  });

  it('leaves out a later malformed line', async () => {
    files.append(PATH, `${record('one')}\u0000\u0000\n${record('two')}`);
    expect(await read()).toBe('one\ntwo\n');
  });

  it.each([
    ['whose first line is in no known format', 'hello\n'],
    ['that is not there', undefined],
  ])('is rejected: a log %s', async (_, text) => {
    if (text !== undefined) files.append(PATH, text);
    await expect(read()).rejects.toThrow(UnreadableLog);
    expect(files.opened).toBe(0);
  });

  it('keeps bytes unchanged', async () => {
    const bytes = array(
      string({ unit: 'binary' }).map((text) => text.replaceAll(/[\n\r]/g, ' ')),
      { maxLength: 50 },
    );
    await assert(
      asyncProperty(bytes, nat(60), async (texts, tailLines) => {
        files = new MemoryLogFiles();
        files.append(PATH, texts.map((text) => record(text)).join(''));
        expect(await read()).toBe(texts.map((text) => `${text}\n`).join(''));
        const last = tailLines === 0 ? [] : texts.slice(-tailLines);
        expect(await read({ tailLines })).toBe(last.map((text) => `${text}\n`).join(''));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a container log that is being written', () => {
  const past = Date.UTC(2026, 0, 1);
  const before = record('x'.repeat(100)).repeat(2_000);
  it.each<[string, Partial<ContainerLogOptions>, number]>([
    ['the whole log', {}, 2_000],
    ['its last records', { tailLines: 1_500 }, 1_500],
    ['no record', { tailLines: 0 }, 0],
    ['so many bytes', { limitBytes: 101 * 1_000 }, 1_000],
    ['what is young enough', { since: past }, 2_000],
    ['one stream', { stream: 'Stdout' }, 2_000],
    ['a stream without records', { stream: 'Stderr' }, 0],
    ['the instants too, of the last records', { timestamps: true, tailLines: 0 }, 0],
  ])('is read as it was when asked, however fast the writer is: %s', async (_, options, records) => {
    files.append(PATH, before);
    // The writer outruns the reader: the reader finds more than it took. In the end the writer rests, so that a reader
    // without a bound fails here and does not hang.
    let writes = 0;
    files.onRead = (got) => {
      if (++writes < 50) files.append(PATH, record('late'.repeat(25)).repeat(Math.ceil(got / 100)));
    };
    expect(await read(options)).toBe(`${'x'.repeat(100)}\n`.repeat(records));
    expect(files.opened).toBe(0);
  });

  it('ends when it is truncated meanwhile', async () => {
    files.append(PATH, before);
    files.onRead = () => files.truncate(PATH);
    expect((await read()).length).toBeLessThan(before.length);
  });
});

describe('a follower of a container log', () => {
  function follower(options: Partial<ContainerLogOptions> = {}): AsyncGenerator<Buffer> {
    return readContainerLog(source(), { ...everything, follow: true, ...options });
  }
  const next = async (log: AsyncGenerator<Buffer>): Promise<string | undefined> => {
    const { value } = (await log.next()) as IteratorResult<Buffer, undefined>;
    return value?.toString();
  };

  it('gets later lines', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    expect(await next(log)).toBe('one\n');
    const later = next(log);
    files.append(PATH, record('two'));
    expect(await later).toBe('two\n');
    await log.return(undefined);
    expect([files.opened, files.watched]).toEqual([0, 0]);
  });

  it('gets continuous output in batches, and checks the runtime once a second', async () => {
    let asked = 0;
    const isRunning = (): Promise<boolean> => Promise.resolve(++asked > 0);
    const log = readContainerLog({ ...source(), isRunning }, { ...everything, follow: true });
    files.append(PATH, record('one'));
    expect(await next(log)).toBe('one\n');
    const later = next(log);
    await settled();
    files.append(PATH, record('two'), 'content');
    await settled();
    files.append(PATH, record('three'), 'content');
    await clock.advanceAndSettle(100);
    expect(await later).toBe('two\nthree\n');
    const last = next(log);
    await clock.advanceAndSettle(100);
    files.append(PATH, record('four'), 'content');
    expect(await last).toBe('four\n');
    expect(asked).toBe(1);
    const none = next(log);
    await clock.advanceAndSettle(1_000);
    expect(asked).toBe(2);
    leave.abort();
    expect(await none).toBe(undefined);
    expect([files.opened, files.watched, clock.armed]).toEqual([0, 0, 0]);
  });

  it('gets the rest of a rotated file, then the new one from its start, each line once', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    expect(await next(log)).toBe('one\n');
    files.append(PATH, record('two'));
    files.rotate(PATH);
    files.append(PATH, record('three'));
    expect(await next(log)).toBe('two\n');
    const three = next(log);
    await settled();
    await clock.advanceAndSettle(100);
    expect(await three).toBe('three\n');
    await log.return(undefined);
    expect(files.opened).toBe(0);
  });

  it('loses nothing that the runtime writes to the old file after the new one exists', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    expect(await next(log)).toBe('one\n');
    const writeToOld = files.rotate(PATH);
    files.append(PATH, record('three'));
    const two = next(log);
    await settled();
    writeToOld(record('two'));
    await clock.advanceAndSettle(100);
    expect(await two).toBe('two\n');
    expect(await next(log)).toBe('three\n');
    await log.return(undefined);
  });

  it('starts over when the file was truncated in place', async () => {
    files.append(PATH, record('a long first line'));
    const log = follower();
    await next(log);
    files.truncate(PATH);
    files.append(PATH, record('new'));
    expect(await next(log)).toBe('new\n');
    await log.return(undefined);
  });

  it('gets the last lines of an ended container, then the end', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    await next(log);
    running = false;
    files.append(PATH, record('bye'));
    expect(await next(log)).toBe('bye\n');
    expect(await next(log)).toBeUndefined();
    expect([files.opened, files.watched]).toEqual([0, 0]);
  });

  it('reads again after a second even without a notice', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    await next(log);
    const end = next(log);
    running = false;
    await settled();
    clock.advance(1_000);
    expect(await end).toBeUndefined();
  });

  it('of the last records goes on after them', async () => {
    files.append(PATH, record('one') + record('two'));
    const log = follower({ tailLines: 1 });
    expect(await next(log)).toBe('two\n');
    files.append(PATH, record('three'));
    expect(await next(log)).toBe('three\n');
    await log.return(undefined);
  });

  it('ends at once when its client leaves', async () => {
    files.append(PATH, record('one'));
    const log = follower();
    await next(log);
    const end = next(log);
    leave.abort();
    expect(await end).toBeUndefined();
    expect([files.opened, files.watched]).toEqual([0, 0]);
  });

  it('reads no more than requested', async () => {
    files.append(PATH, record('x'.repeat(1_000)).repeat(1_000));
    const log = follower();
    await next(log);
    expect(files.read).toBeLessThan(200_000);
    await log.return(undefined);
  });
});
