import { own } from '../../src/kube/text/own.ts';
import { CONFIG_SEEN_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { Pod } from '../../src/kube/pod.ts';

/**
 * For each pod the milliseconds from the agent's first observation of its manifest until its container started in the
 * runtime. Both stamps are taken on this machine's clock, in milliseconds or finer. Throws for a pod that lacks one of
 * them.
 */
export function startLatencies(pods: readonly Pod[], startedAt: ReadonlyMap<string, number>): readonly number[] {
  return pods.map(({ metadata }) => {
    const seen = Date.parse(own(metadata.annotations, CONFIG_SEEN_ANNOTATION) ?? '');
    const started = startedAt.get(metadata.uid);
    if (Number.isNaN(seen) || started === undefined)
      throw new Error(`${metadata.name} was never seen or never started`);
    return started - seen;
  });
}
