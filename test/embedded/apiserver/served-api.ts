import { Agent, type Dispatcher, request } from 'undici';
import type { EmbeddedApiServer, EmbeddedApiServerOptions } from '../../../src/embedded/apiserver/serve.ts';
import { serveEmbeddedApi } from '../../../src/embedded/apiserver/serve.ts';

export interface Answered {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: Record<string, unknown>;
}

export interface Ask {
  readonly method?: Dispatcher.HttpMethod;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `undefined`: the administrator's token. */
  readonly token?: string | null;
}

export interface ServedApi {
  readonly server: EmbeddedApiServer;
  ask(path: string, ask?: Ask): Promise<Answered>;
  /** The connection itself, for streams. */
  open(path: string): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/** A served API and a client of it. `tls` adds to the client's side of the connection. */
export async function servedApi(options: EmbeddedApiServerOptions = {}): Promise<ServedApi> {
  const server = await serveEmbeddedApi(options);
  const dispatcher = new Agent({ connect: { ca: server.authority.certificate } });
  const bearer = (token: string | null = server.adminToken) =>
    token === null ? {} : { authorization: `Bearer ${token}` };
  return {
    server,
    async ask(path, { method = 'GET', body, headers = {}, token } = {}) {
      const answer = await request(`${server.address}${path}`, {
        method,
        dispatcher,
        headers: {
          ...bearer(token === undefined ? server.adminToken : token),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
      return { code: answer.statusCode, headers: answer.headers, json };
    },
    open: (path) => request(`${server.address}${path}`, { dispatcher, headers: bearer() }),
    async close() {
      await dispatcher.destroy();
      await server.close();
    },
  };
}
