import type { RequestFacts } from '../../src/embedded/apiserver/http/fault-injection.ts';
import type { WriteCounts } from './cluster/cluster-protocol.ts';

const AGENT = 'hivelet';

/** Counts what an agent asks of an API server, request by request, as the server sees them. */
export class WriteCounter {
  readonly #counts = {
    statuses: 0,
    events: 0,
    podDeletes: 0,
    nodeWrites: 0,
    leaseWrites: 0,
    otherWrites: 0,
    reads: 0,
  };

  count({ method, path, userAgent }: RequestFacts): void {
    if (userAgent.startsWith(AGENT)) this.#counts[kindOf(method, path.split('?')[0] ?? '')] += 1;
  }

  get counts(): WriteCounts {
    return { ...this.#counts };
  }
}

function kindOf(method: string, path: string): keyof WriteCounts {
  if (method === 'GET') return 'reads';
  if (/\/pods\/[^/]+\/status$/.test(path)) return 'statuses';
  if (/\/events(\/[^/]+)?$/.test(path)) return 'events';
  if (/\/pods\/[^/]+$/.test(path) && method === 'DELETE') return 'podDeletes';
  if (path.includes('/leases')) return 'leaseWrites';
  return path.includes('/api/v1/nodes') ? 'nodeWrites' : 'otherWrites';
}
