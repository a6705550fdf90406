import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import { makeCompileCache, useCompileCache } from '../../src/agent/compile-cache.ts';

// A separate process, since a cache cannot be changed within a process. It prints the cache that it uses.
const [how, rootDir = ''] = process.argv.slice(2);
const cache = how === 'use' ? undefined : makeCompileCache(rootDir);
if (how === 'use') useCompileCache(['run', '--root-dir', rootDir, '--no-launcher']);
const thread = new Worker(
  "require('node:worker_threads').parentPort.postMessage(require('node:module').getCompileCacheDir())",
  {
    eval: true,
  },
);
thread.once('message', (inThread: unknown) => {
  process.stdout.write(JSON.stringify({ problem: cache?.problem, here: getCompileCacheDir(), inThread }));
  if (how === 'abandon') cache?.abandon();
});
