import { readFile } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { systemClock } from '../../../src/actor/clock.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';

/** One request as sent on the wire. */
export interface Asked {
  readonly method?: Dispatcher.HttpMethod;
  readonly path: string;
  readonly body?: unknown;
  /** The type of the body; JSON by default. */
  readonly type?: string;
  readonly accept?: string;
}

export interface Answered {
  readonly code: number;
  readonly type: string;
  /** The body, read as JSON where it is some. */
  readonly body: unknown;
}

export interface Asker {
  ask(asked: Asked): Promise<Answered>;
  /** Returns the first lines of an endless answer. */
  lines(path: string, count: number): Promise<readonly unknown[]>;
  close(): void;
}

/** Makes calls to an API server that a library would make differently or not at all, as the user of a kubeconfig. */
export async function askerOf(kubeconfig: string): Promise<Asker> {
  const source = kubeconfigIdentity(kubeconfig, {
    readFile: (path) => readFile(path, 'utf8'),
    runPlugin: () => Promise.reject(new Error('tests have no credential plugin')),
    now: () => systemClock.now(),
  });
  const identity = await source.read();
  const connections = openConnections(identity);
  const { origin, calls } = connections;
  const credentials = identity.headers as Record<string, string>;
  return {
    async ask({ method = 'GET', path, body, type = 'application/json', accept }) {
      const answer = await calls.request({
        origin,
        path,
        method,
        headers: {
          ...credentials,
          'user-agent': 'asker/1',
          ...(accept !== undefined && { accept }),
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      return { code: answer.statusCode, type: String(answer.headers['content-type']), body: read(text) };
    },
    async lines(path, count) {
      const { body } = await calls.request({ origin, path, method: 'GET', headers: credentials });
      const lines: unknown[] = [];
      let rest = '';
      for await (const chunk of body) {
        const parts = `${rest}${String(chunk)}`.split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts.map(read));
        if (lines.length >= count) break;
      }
      return lines.slice(0, count);
    },
    close: () => connections.retire('the test is over'),
  };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
