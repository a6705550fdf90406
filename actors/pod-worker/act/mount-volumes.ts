import type { Pod } from '../../../src/kube/pod.ts';
import { planVolumes } from '../../../src/volumes/plan/plan-volumes.ts';
import type { Round } from './sync-attempt.ts';

/**
 * Waits for the pod's volumes. Returns `false` when they are missing and nothing may start. The reason was recorded in
 * the round, unless the pod is being removed. Failures of single volumes meanwhile arrive as `volume-failed`.
 */
export async function mountVolumes(round: Round): Promise<boolean> {
  const { pod, tools } = round;
  const plan = planVolumes(pod, tools.node);
  if (plan === undefined) return true;
  const outcome = await Promise.race([tools.volumes.mount(plan), round.cancelled]);
  if (outcome === 'cancelled') return false;
  if (outcome.ok) round.volumePaths = outcome.paths ?? {};
  else round.podFailed(outcome.message);
  return outcome.ok && round.goesOn;
}

/** Returns `true` if the pod has a volume; most pods have none. */
export const hasVolumes = ({ spec }: Pod): boolean => (spec.volumes?.length ?? 0) > 0;
