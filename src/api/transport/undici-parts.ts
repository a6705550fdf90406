import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as undici from 'undici';

/**
 * The parts of undici that call the API server, from the files they are in. Its front door also loads fetch, WebSocket, a cache and what imitates
 * servers for tests, which weigh the thread 3 MiB more; and gives dispatchers `request` and `stream`, which these are without: `dispatch` is
 * what there is.
 */
const load = createRequire(import.meta.url);
const folder = join(dirname(load.resolve('undici')), 'lib', 'dispatcher');

type PoolClass = typeof undici.Pool;
type ProxyAgentClass = typeof undici.ProxyAgent;

export const newPool = (...args: ConstructorParameters<PoolClass>): undici.Pool =>
  new (load(join(folder, 'pool.js')) as PoolClass)(...args);

export const newProxyAgent = (...args: ConstructorParameters<ProxyAgentClass>): undici.ProxyAgent =>
  new (load(join(folder, 'proxy-agent.js')) as ProxyAgentClass)(...args);
