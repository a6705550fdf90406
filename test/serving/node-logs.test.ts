import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AllowedRequest } from '../../src/serving/allowed-request.ts';
import { answerNodeLogs } from '../../src/serving/logs/answer-node-logs.ts';
import { nodeLogFolder } from '../../src/serving/logs/node-log-folder.ts';
import { journalArguments, readNodeLogQuery } from '../../src/serving/logs/node-log-query.ts';
import { ask, serverUnderTest, upkeepOf, type ServerUnderTest } from './server-under-test.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe('a query for logs of a node', () => {
  const readOf = (text: string): ReturnType<typeof readNodeLogQuery> => readNodeLogQuery(new URLSearchParams(text));
  it.each([
    ['nothing asked', '', undefined],
    ['a number that is none', 'query=a&tailLines=x', 400],
    ['a time that is none', 'query=a&sinceTime=yesterday', 400],
    ['a date that there is not', 'query=a&sinceTime=2026-99-01T00:00:00Z', 400],
    ['no service', 'tailLines=1', 406],
    ['a service and a file', 'query=a&query=/a.log', 406],
    ['two files', 'query=/a.log&query=/b.log', 406],
    ['part of a file', 'query=/a.log&tailLines=1', 406],
    ['too many services', 'query=a&query=b&query=c&query=d&query=e', 406],
    ['too long a name', `query=${'a'.repeat(257)}`, 406],
    ['an option as a name', 'query=%20--root', 406],
    ['a way out as a name', 'query=..', 406],
    ['too many lines', 'query=a&tailLines=100001', 406],
    ['fewer than no lines', 'query=a&tailLines=-1', 406],
    ['a boot to come', 'query=a&boot=1', 406],
    ['too long a pattern', `query=a&pattern=${'x'.repeat(1_025)}`, 406],
    ['an end before the start', 'query=a&sinceTime=2026-01-02T00:00:00Z&untilTime=2026-01-01T00:00:00Z', 406],
  ])('with %s is rejected, or not a query', (_, text, status) => {
    expect(readOf(text)).toMatchObject(status === undefined ? { type: 'none' } : { type: 'refused', status });
  });

  it('passes each value to the journal in its own option', () => {
    const read = readOf(
      'query=kubelet&query=crio&sinceTime=2026-01-02T03:04:05%2B01:00&tailLines=5&pattern=--a&boot=-1',
    );
    if (read.type !== 'query') throw new Error('it was refused');
    expect(journalArguments(read.query, NOW).slice(3)).toEqual([
      '--since=2026-01-02 02:04:05',
      '--lines=5',
      '--grep=--a',
      '--boot=-1',
      '--unit=kubelet',
      '--unit=crio',
    ]);
  });
});

describe('a query of the journal ends', () => {
  it.each([
    ['with the second that has begun', 'query=a', ['--until=2026-01-02 03:04:06']],
    ['so even when its start is given', 'query=a&sinceTime=2026-01-02T03:04:05Z', ['--until=2026-01-02 03:04:06']],
    ['at the given time', 'query=a&untilTime=2026-01-02T03:00:00Z', ['--until=2026-01-02 03:00:00']],
    ['with its number of lines, also of entries from a clock that was ahead', 'query=a&tailLines=5', []],
  ])('%s', (_, text, until) => {
    const read = readNodeLogQuery(new URLSearchParams(text));
    const given = read.type === 'query' ? journalArguments(read.query, NOW) : [];
    expect(given).toContain('--unit=a');
    expect(given.filter((each) => each.startsWith('--until'))).toEqual(until);
  });
});

describe('a log file of a node', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'node-log-')));
    path = join(folder, 'busy.log');
    writeFileSync(path, 'when asked\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const request = (signal: AbortSignal, query = ''): AllowedRequest => ({
    endpoint: 'node-logs',
    method: 'GET',
    path: '/logs/busy.log',
    parameters: new Map([['rest', query === '' ? 'busy.log' : '']]),
    query: new URLSearchParams(query),
    headers: {},
    body: () => Promise.resolve(''),
    signal,
  });
  const piecesFor = async (signal: AbortSignal, query?: string): Promise<AsyncIterable<Buffer>> => {
    const tools = { folder: nodeLogFolder(folder), journal: () => Promise.resolve(undefined), queries: true };
    const reply = await answerNodeLogs(request(signal, query), { ...tools, now: () => NOW });
    if (reply.type !== 'stream') throw new Error('no stream');
    return reply.pieces;
  };
  const textOf = async (pieces: AsyncIterable<Buffer>): Promise<string> => {
    let text = '';
    for await (const piece of pieces) text += piece.toString();
    return text;
  };
  const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    }).length;

  it.each([
    ['by path', ''],
    ['by query', 'query=/busy.log'],
  ])('is sent as it was when asked (%s)', async (_, query) => {
    const pieces = await piecesFor(new AbortController().signal, query);
    appendFileSync(path, 'later\n');
    expect(await textOf(pieces)).toBe('when asked\n');
    expect(openFiles()).toBe(0);
  });

  it.each([
    ['by path', ''],
    ['by query', 'query=/busy.log'],
  ])('is closed when its client leaves before the first byte (%s)', async (_, query) => {
    const gone = new AbortController();
    const pieces = await piecesFor(gone.signal, query);
    expect(openFiles()).toBe(1);
    gone.abort();
    await expect.poll(openFiles).toBe(0);
    expect(await textOf(pieces)).toBe('');
  });
});

describe('the logs of a node', () => {
  let top: string;
  let node: ServerUnderTest;
  const journals = new Map<string, string>();
  beforeAll(async () => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'node-logs-')));
    const logs = join(top, 'log');
    for (const folder of ['log/app', 'pods', 'secret']) mkdirSync(join(top, folder), { recursive: true });
    writeFileSync(join(logs, 'messages'), 'hello\n');
    writeFileSync(join(logs, 'a <b>.html'), '<script>');
    writeFileSync(join(logs, 'app/app.log'), 'from a file\n');
    writeFileSync(join(top, 'pods/0.log'), 'of a pod\n');
    writeFileSync(join(top, 'secret/key'), 'key\n');
    symlinkSync(join(top, 'pods/0.log'), join(logs, 'to-pod'));
    symlinkSync(join(top, 'secret/key'), join(logs, 'to-secret'));
    symlinkSync(join(top, 'secret'), join(logs, 'to-folder'));
    symlinkSync('round', join(logs, 'round'));
    execFileSync('mkfifo', [join(logs, 'pipe')]);
    const debugging = upkeepOf({
      logs: {
        folder: nodeLogFolder(logs, [join(top, 'pods')]),
        journal: (args) => {
          const said = journals.get(args.at(-1) ?? '');
          return Promise.resolve(said === undefined ? undefined : pieces(said));
        },
        queries: true,
        now: () => NOW,
      },
    });
    node = await serverUnderTest({ anonymous: true, debugging });
    node.reviews.rights.add('system:anonymous log');
  });
  afterAll(async () => {
    await node.server.close();
    rmSync(top, { recursive: true, force: true });
  });
  async function* pieces(text: string): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(text));
  }

  it.each([
    ['a file', '/logs/messages', 200, 'hello\n'],
    ['a file in a folder', '/logs/app/app.log', 200, 'from a file\n'],
    ['a link to the log of a pod', '/logs/to-pod', 200, 'of a pod\n'],
    ['nothing', '/logs/nothing', 404, '404 page not found\n'],
    ['a file as if it were a folder', '/logs/messages/x', 404, '404 page not found\n'],
    ['a link out of the folder', '/logs/to-secret', 403, '403 Forbidden\n'],
    ['a link to a folder outside', '/logs/to-folder/', 403, '403 Forbidden\n'],
    ['a file behind such a link', '/logs/to-folder/key', 403, '403 Forbidden\n'],
    ['a link to itself', '/logs/round', 403, '403 Forbidden\n'],
    ['a pipe, which would never end', '/logs/pipe', 403, '403 Forbidden\n'],
    ['a way out', '/logs/%2e%2e/secret/key', 404, '404 page not found\n'],
    ['a way out with a slash in an escape', '/logs/..%2fsecret%2fkey', 404, '404 page not found\n'],
    ['a file by query', '/logs/?query=/app/app.log', 200, 'from a file\n'],
    ['a way out by query', '/logs/?query=/../secret/key', 200, 'there is no log file "/../secret/key"\n'],
    ['a link out of the folder by query', '/logs/?query=/to-secret', 200, 'there is no log file "/to-secret"\n'],
    ['a service that has a file', '/logs/?query=app', 200, 'from a file\n'],
    ['a service that nobody knows', '/logs/?query=who', 200, 'nothing is known of a log of who\n'],
    ['a path and a query', '/logs/messages?query=app', 406, 'path not allowed in query mode\n'],
    ['a query that makes no sense', '/logs/?query=app&boot=1', 406, 'boot: 0 for the current one, or less\n'],
  ])('answer for %s', async (_, path, status, text) => {
    expect(await ask(node, path)).toMatchObject({ status, text });
  });

  it('list a folder, and never as active content', async () => {
    const listing = await ask(node, '/logs/');
    expect(listing.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(listing.text).toContain('<a href="./app/">app/</a>\n');
    expect(listing.text).toContain('<a href="./a%20%3Cb%3E.html">a &lt;b&gt;.html</a>\n');
    const file = await ask(node, '/logs/a%20%3Cb%3E.html');
    expect(file.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(await ask(node, '/logs/app')).toMatchObject({ status: 301, headers: { location: 'app/' } });
  });

  it('come from the journal for a service, compressed if the client requires it', async () => {
    journals.set('--unit=cri', 'Jan 01 started\n');
    journals.set('--unit=app', '-- No entries --\n');
    expect(await ask(node, '/logs/?query=cri')).toMatchObject({ status: 200, text: 'Jan 01 started\n' });
    expect(await ask(node, '/logs/?query=app')).toMatchObject({ status: 200, text: 'from a file\n' });
    expect((await ask(node, '/logs/?query=app&tailLines=1')).text).toMatch(/^app writes to a file/);
    const packed = await ask(node, '/logs/?query=cri', { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.bytes).toString()).toBe('Jan 01 started\n');
  });
});
