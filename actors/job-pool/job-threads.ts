import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { programUrl } from '../../src/package-root.ts';
import type { HelperThreads } from '../../src/agent/kind.ts';
import type { JobName, JobPoolDeps } from './actor.ts';

/** Most orders wait for a mount, which another program makes. */
const VOLUME_ORDERS_AT_ONCE = 64;

/** The module of each job under `src/jobs`, and how many of its jobs one thread may have under way. */
const jobs: Readonly<Record<JobName, { readonly module: string; readonly atOncePerThread: number }>> = {
  parseManifests: { module: 'parse-manifest', atOncePerThread: 1 },
  parsePodList: { module: 'parse-pod-list', atOncePerThread: 1 },
  volumeOrders: { module: 'volume-orders', atOncePerThread: VOLUME_ORDERS_AT_ONCE },
  walkPods: { module: 'walk-pods', atOncePerThread: 1 },
};

/**
 * Job threads start when there is work and end when there was none for a while. Each kind of job has one of its own: what hangs
 * in one is no other's trouble.
 */
export function jobThreads(): JobPoolDeps & HelperThreads {
  const pools = new Map<JobName, Piscina>();
  const poolOf = (job: JobName): Piscina => {
    const { module, atOncePerThread } = jobs[job];
    let pool = pools.get(job);
    if (pool === undefined) {
      pool = new Piscina({
        filename: fileURLToPath(programUrl(`jobs/${module}`)),
        minThreads: 0,
        maxThreads: 1,
        concurrentTasksPerWorker: atOncePerThread,
        maxQueue: 10_000,
        idleTimeout: 5_000,
        recordTiming: false,
      });
      pools.set(job, pool);
    }
    return pool;
  };
  return {
    run: (job, input) => poolOf(job).run(input, { name: job }),
    threads: () => [...pools].flatMap(([job, pool]) => pool.threads.map((thread) => [`job ${job}`, thread] as const)),
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}
