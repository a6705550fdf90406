import { fileURLToPath } from 'node:url';
import { programUrl } from '../../src/package-root.ts';
import type { JobKind, JobName } from './job-threads.ts';

/** The file of a module under `src/jobs`. */
const jobFile = (module: string): string => fileURLToPath(programUrl(`jobs/${module}`));

/** Most orders wait for a mount by another program. */
const VOLUME_ORDERS_AT_ONCE = 64;
/**
 * Time limits of jobs. Each is shorter than the deadline of the caller, so that the caller learns the reason of a loss.
 * Fifty ordinary manifests take some 50 ms; each mount has 120 s; a pod with a million files is walked in 100 s.
 */
const PARSED_WITHIN_MS = 10_000;
const VOLUME_ORDERS_WITHIN_MS = 290_000;
const WALKED_WITHIN_MS = 115_000;
const PARSING_HEAP_MB = 512;

const parsing = { atOncePerThread: 1, withinMs: PARSED_WITHIN_MS, heapMb: PARSING_HEAP_MB };

/** The jobs of the agent. */
export const agentJobs: Readonly<Record<JobName, JobKind>> = {
  parseManifests: { file: jobFile('parse-manifest'), ...parsing },
  parsePodList: { file: jobFile('parse-pod-list'), ...parsing },
  volumeOrders: {
    file: jobFile('volume-orders'),
    atOncePerThread: VOLUME_ORDERS_AT_ONCE,
    withinMs: VOLUME_ORDERS_WITHIN_MS,
  },
  walkPods: { file: jobFile('walk-pods'), atOncePerThread: 1, withinMs: WALKED_WITHIN_MS },
};
