import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AllowedRequest } from './allowed-request.ts';
import { errorReply, textReply, type Reply } from './reply.ts';

/** Profiles of the threads of this process. */
export interface ThreadProfiles {
  names(): Promise<readonly string[]>;
  /** A `.cpuprofile`. `undefined` when there is no such thread, or it ended meanwhile. */
  cpu(thread: string, durationMs: number): Promise<string | undefined>;
  /** Writes a `.heapsnapshot`. `false` when there is no such thread, or it ended meanwhile. */
  heap(thread: string, path: string): Promise<boolean>;
  /** Makes a folder for files that live as long as an answer, for its owner alone. */
  makeFolder(): Promise<string>;
}

const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 300;

/** Takes one profile at a time: each costs the node something. */
export class ProfileAnswers {
  readonly #profiles: ThreadProfiles;
  #isBusy = false;
  #count = 0;

  constructor(profiles: ThreadProfiles) {
    this.#profiles = profiles;
  }

  /** Answers `/debug/pprof/…`: the kubelet's paths, with this runtime's profiles in place of Go's. */
  async answer({ parameters, query }: AllowedRequest): Promise<Reply> {
    const what = parameters.get('rest') ?? '';
    switch (what) {
      case '':
        return textReply(200, indexText(await this.#profiles.names()));
      case 'cmdline':
        return textReply(200, await readFile('/proc/self/cmdline', 'utf8').catch(() => process.argv.join('\0')));
      case 'profile':
        return this.#alone(() => this.#cpu(query));
      case 'heap':
        return this.#alone(() => this.#heap(query));
      default:
        return errorReply(404, `there is no profile ${JSON.stringify(what)}; /debug/pprof/ lists the profiles`);
    }
  }

  async #alone(make: () => Promise<Reply>): Promise<Reply> {
    if (this.#isBusy) return errorReply(503, 'another profile is being made; try again when it is done');
    this.#isBusy = true;
    try {
      return await make();
    } finally {
      this.#isBusy = false;
    }
  }

  async #cpu(query: URLSearchParams): Promise<Reply> {
    const text = query.get('seconds') ?? String(DEFAULT_SECONDS);
    const seconds = Number(text);
    if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
      return errorReply(400, `seconds is ${JSON.stringify(text)}, it must be more than 0 and ${MOST_SECONDS} at most`);
    }
    const asked = query.get('thread') ?? 'main';
    const names = asked === 'all' ? await this.#profiles.names() : [asked];
    const made = await Promise.all(
      names.map(async (name) => [name, await this.#profiles.cpu(name, seconds * 1_000)] as const),
    );
    const found = made.flatMap(([name, profile]) => (profile === undefined ? [] : [[name, profile] as const]));
    const [first] = found;
    if (first === undefined) return errorReply(404, `there is no thread ${JSON.stringify(asked)}`);
    if (asked !== 'all') return download(first[1], `${asked}.cpuprofile`);
    const members = found.map(([name, profile]) => `${JSON.stringify(name)}:${profile}`);
    return download(`{${members.join(',')}}`, 'all-threads.json');
  }

  async #heap(query: URLSearchParams): Promise<Reply> {
    const thread = query.get('thread') ?? 'main';
    const path = join(await this.#profiles.makeFolder(), `${process.pid}-${++this.#count}.heapsnapshot`);
    if (!(await this.#profiles.heap(thread, path))) {
      return errorReply(404, `there is no thread ${JSON.stringify(thread)}`);
    }
    return {
      type: 'stream',
      contentType: 'application/octet-stream',
      pieces: thenGone(path),
      headers: attachment(`${thread}.heapsnapshot`),
    };
  }
}

/** Yields a file's bytes. The file is removed when it has been read, or when its reader leaves. */
async function* thenGone(path: string): AsyncGenerator<Buffer> {
  try {
    // A stream without an encoding yields buffers.
    for await (const piece of createReadStream(path)) yield piece as Buffer;
  } finally {
    await rm(path, { force: true });
  }
}

const attachment = (name: string): Readonly<Record<string, string>> => ({
  'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
});

const download = (text: string, name: string): Reply => ({
  type: 'text',
  status: 200,
  contentType: 'application/json',
  text,
  headers: attachment(name),
});

const indexText = (threads: readonly string[]): string => `Profiles of this agent, a Node.js process:

/debug/pprof/profile?seconds=30&thread=NAME   a CPU profile (.cpuprofile); thread=all: of every thread, by name
/debug/pprof/heap?thread=NAME                 a heap snapshot (.heapsnapshot); the thread stands still while it is written
/debug/pprof/cmdline                          how the process was started

Developer tools of browsers and editors open both. Without thread: main. Threads: ${threads.join(' ')}
`;
