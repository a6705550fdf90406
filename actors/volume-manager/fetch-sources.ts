import { canonicalJson } from '../../src/kube/text/canonical-json.ts';
import { objectNotFound } from '../../src/volumes/plan/object-data.ts';
import type { ObjectSource } from '../../src/volumes/plan/object-source.ts';
import type { FetchedSource, FilesSource, PodVolumes, VolumePlan } from '../../src/volumes/plan/volume-plan.ts';

export interface Fetched {
  readonly fetched: readonly FetchedSource[];
  /** Equal for equal content. `undefined` when the version is unknown without reading all of it. */
  readonly version: string | undefined;
}

/** Fetches all sources of a volume, in their order. A missing source is returned as its problem. */
export async function fetchSources(objects: ObjectSource, pod: PodVolumes, plan: VolumePlan): Promise<Fetched> {
  if (plan.type !== 'files') return { fetched: [], version: undefined };
  const versions: string[] = [];
  const fetch = async (source: FilesSource, index: number): Promise<FetchedSource> => {
    switch (source.type) {
      case 'object': {
        const answer = await objects.get(source.ref, pod.podUid);
        versions[index] = answer.type === 'found' ? answer.version : answer.type;
        if (answer.type === 'found') return { type: 'object', data: answer.data };
        return answer.type === 'missing' ? { type: 'missing', message: objectNotFound(source.ref) } : answer;
      }
      case 'token': {
        const answer = await objects.token(pod, source);
        versions[index] = answer.type === 'found' ? answer.token : answer.type;
        return answer.type === 'failed' ? answer : { type: 'token', token: answer.token };
      }
      case 'trust-bundle': {
        const answer = await objects.bundle(source.of);
        versions[index] = answer.type === 'found' ? answer.pem : answer.type;
        return answer.type === 'found' ? { type: 'trust-bundle', pem: answer.pem } : answer;
      }
      case 'certificate': {
        const answer = await objects.certificate(pod, source);
        versions[index] = answer.type === 'found' ? answer.chain : answer.type;
        return answer.type === 'found' ? { ...answer, type: 'certificate' } : answer;
      }
      case 'text':
      case 'refused':
        return undefined;
      default:
        return source satisfies never;
    }
  };
  const fetched = await Promise.all(plan.sources.map(fetch));
  return { fetched, version: canonicalJson([plan, versions]) };
}
