import type { WallMs } from '../../actor/clock.ts';
import { own } from '../../kube/text/own.ts';
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { assertNever } from '../../kube/text/assert-never.ts';
import type { AllowedRequest } from '../allowed-request.ts';
import type { FoundNodeLog, NodeLogFolder } from './node-log-folder.ts';
import { journalArguments, readNodeLogQuery, serviceLogFiles, type NodeLogQuery } from './node-log-query.ts';
import { errorReply, textReply, type Reply } from '../reply.ts';

export interface NodeLogTools {
  readonly folder: NodeLogFolder;
  /**
   * Returns the journal's output for these arguments. `undefined` when there is no journal. Ends when `signal`
   * does.
   */
  readonly journal: (args: readonly string[], signal: AbortSignal) => Promise<AsyncIterable<Buffer> | undefined>;
  /** `enableSystemLogQuery`. */
  readonly queries: boolean;
  readonly now: () => WallMs;
}

/** Serves the node's log folder file by file, or answers a query for the logs of services. */
export async function answerNodeLogs(
  request: AllowedRequest,
  { folder, journal, queries, now }: NodeLogTools,
): Promise<Reply> {
  const rest = request.parameters.get('rest') ?? '';
  const asked = queries ? readNodeLogQuery(request.query) : ({ type: 'none' } as const);
  if (asked.type === 'none') return showFile(request, rest, folder);
  if (asked.type === 'refused') return errorReply(asked.status, asked.problem);
  if (rest !== '') return errorReply(406, 'path not allowed in query mode');
  const pieces = await answersTo(asked.query, { folder, journal, queries, now }, request.signal);
  const acceptsGzip = (request.headers['accept-encoding'] ?? '') === 'gzip';
  return {
    type: 'stream',
    contentType: 'text/plain;charset=UTF-8',
    pieces: acceptsGzip ? Readable.from(pieces).compose(createGzip()) : pieces,
    ...(acceptsGzip && { headers: { 'content-encoding': 'gzip' } }),
  };
}

async function showFile(request: AllowedRequest, rest: string, folder: NodeLogFolder): Promise<Reply> {
  const { path } = request;
  const found = await foundFor(request, rest, folder);
  switch (found.type) {
    case 'missing':
      return errorReply(404, '404 page not found');
    case 'forbidden':
      return errorReply(403, '403 Forbidden');
    case 'folder': {
      // Links in a listing are relative to the folder.
      if (!path.endsWith('/')) {
        const own = path.split('/').at(-1) ?? '';
        return { type: 'text', status: 301, contentType: 'text/plain', text: '', headers: { location: `${own}/` } };
      }
      return textReply(200, listing(found.names), 'text/html; charset=utf-8');
    }
    case 'file':
      return {
        type: 'stream',
        // Never a type that a browser would run: a log contains what others wrote.
        contentType: 'text/plain; charset=utf-8',
        pieces: found.pieces,
        headers: { 'last-modified': found.modifiedAt.toUTCString(), 'x-content-type-options': 'nosniff' },
      };
    default:
      return assertNever(found, 'found node log');
  }
}

/** A client that leaves before the first piece reads none: then nothing else would close the file. */
async function foundFor(
  { signal }: Pick<AllowedRequest, 'signal'>,
  name: string,
  folder: NodeLogFolder,
): Promise<FoundNodeLog> {
  const found = await folder.find(name);
  if (found.type !== 'file') return found;
  if (signal.aborted) await found.close();
  signal.addEventListener('abort', () => void found.close(), { once: true });
  return found;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const listing = (names: readonly string[]): string => {
  const lines = names.map((name) => {
    const link = name.split('/').map(encodeURIComponent).join('/');
    return `<a href="./${link}">${name.replaceAll(/[&<>"']/g, (each) => own(escapes, each) ?? each)}</a>`;
  });
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('\n')}\n</pre>\n`;
};

async function answersTo(
  query: NodeLogQuery,
  { folder, journal, now }: NodeLogTools,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  if (query.file !== undefined) {
    return filePieces(query.file, await foundFor({ signal }, query.file.replace(/^\/+/, ''), folder));
  }
  const said = await journal(journalArguments(query, now()), signal);
  return journalOrFiles(said, query, folder);
}

const note = (text: string): Buffer => Buffer.from(`${text}\n`);

async function* filePieces(name: string, found: FoundNodeLog): AsyncGenerator<Buffer> {
  if (found.type === 'file') yield* found.pieces;
  else yield note(`there is no log file ${JSON.stringify(name)}`);
}

/** Returns the journal's output; if it is empty, the log files of the services. */
async function* journalOrFiles(
  said: AsyncIterable<Buffer> | undefined,
  query: NodeLogQuery,
  folder: NodeLogFolder,
): AsyncGenerator<Buffer> {
  let isSilent = true;
  for await (const piece of said ?? []) {
    if (isSilent && piece.toString().startsWith('-- No entries --')) continue;
    isSilent = false;
    yield piece;
  }
  if (!isSilent) return;
  for (const service of query.services) {
    const found = await firstFile(serviceLogFiles(service), folder);
    if (found === undefined) yield note(`nothing is known of a log of ${service}`);
    else if (isNarrowed(query)) {
      await found.close();
      yield note(`${service} writes to a file, which is shown whole only: ask without other options`);
    } else yield* found.pieces;
  }
}

const isNarrowed = ({ sinceTime, untilTime, tailLines, pattern, boot }: NodeLogQuery): boolean =>
  [sinceTime, untilTime, tailLines, pattern, boot].some((each) => each !== undefined);

async function firstFile(
  names: readonly string[],
  folder: NodeLogFolder,
): Promise<Extract<FoundNodeLog, { type: 'file' }> | undefined> {
  for (const name of names) {
    const found = await folder.find(name);
    if (found.type === 'file') return found;
  }
  return undefined;
}
