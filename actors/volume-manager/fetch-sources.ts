import { objectNotFound } from '../../src/volumes/object-data.ts';
import type { ObjectSource } from '../../src/volumes/object-source.ts';
import type { FetchedSource, FilesSource, PodVolumes, VolumePlan } from '../../src/volumes/volume-plan.ts';

export interface Fetched {
  readonly fetched: readonly FetchedSource[];
  /** When the first of them is out of date; undefined: none will be by itself. */
  readonly refreshInMs?: number;
}

/** Everything a volume is made of, in the order of its sources. What cannot be had is said in its place. */
export async function fetchSources(objects: ObjectSource, pod: PodVolumes, plan: VolumePlan): Promise<Fetched> {
  if (plan.type !== 'files') return { fetched: [] };
  let refreshInMs: number | undefined;
  const fetch = async (source: FilesSource): Promise<FetchedSource> => {
    switch (source.type) {
      case 'object': {
        const answer = await objects.get(source.ref);
        if (answer.type === 'found') return { type: 'object', data: answer.data };
        return answer.type === 'missing' ? { type: 'missing', message: objectNotFound(source.ref) } : answer;
      }
      case 'token': {
        const answer = await objects.token(pod, source);
        if (answer.type === 'failed') return answer;
        refreshInMs = Math.min(refreshInMs ?? Number.POSITIVE_INFINITY, answer.refreshInMs);
        return { type: 'token', token: answer.token };
      }
      case 'text':
      case 'refused':
        return undefined;
      default:
        return source satisfies never;
    }
  };
  const fetched = await Promise.all(plan.sources.map(fetch));
  return { fetched, ...(refreshInMs === undefined ? {} : { refreshInMs }) };
}
