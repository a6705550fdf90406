import type { Pod } from '../../../src/kube/pod.ts';
import { planVolumes } from '../../../src/volumes/plan/plan-volumes.ts';
import type { Round } from './sync-attempt.ts';

/**
 * Waits until the pod's volumes are there. False: they are not, the round has been told why unless the pod is going away, and
 * nothing may be started. What goes wrong with single volumes meanwhile comes as `volume-failed`.
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

/** Whether the pod asks for a volume at all; most do not. */
export const hasVolumes = ({ spec }: Pod): boolean => (spec.volumes?.length ?? 0) > 0;
