import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as undici from 'undici';

/**
 * The parts of undici that call the API server, loaded from their own files. The front door also loads fetch,
 * WebSocket, a cache and test mocks, which cost the thread 3 MiB more. It also adds `request` and `stream` to
 * dispatchers; the dispatchers here have only `dispatch`.
 */
const load = createRequire(import.meta.url);
const folder = join(dirname(load.resolve('undici')), 'lib', 'dispatcher');

type PoolClass = typeof undici.Pool;
type ProxyAgentClass = typeof undici.ProxyAgent;

export const newPool = (...args: ConstructorParameters<PoolClass>): undici.Pool =>
  // The file exports this class alone.
  new (load(join(folder, 'pool.js')) as PoolClass)(...args);

export const newProxyAgent = (...args: ConstructorParameters<ProxyAgentClass>): undici.ProxyAgent =>
  // The file exports this class alone.
  new (load(join(folder, 'proxy-agent.js')) as ProxyAgentClass)(...args);
