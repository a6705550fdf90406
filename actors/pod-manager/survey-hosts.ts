import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { CRI_GATEWAY, type RuntimeHealth } from '../cri-gateway/protocol.ts';
import { PLEG, type RuntimePodName } from '../pleg/protocol.ts';

const WITHIN_MS = 10_000;

/** The pods, workers and runtime state found on the node. */
export interface HostSurvey {
  readonly health: RuntimeHealth;
  readonly runtimePods: readonly RuntimePodName[];
  readonly workers: readonly PodUid[];
}

/**
 * Rejects when an actor does not answer, or the runtime is away. PLEG must have listed after `newerThan` (monotonic).
 */
export async function surveyHosts(
  context: Pick<ActorContext, 'ref'>,
  { podThreads, newerThan }: { readonly podThreads: readonly string[]; readonly newerThan: MonotonicMs },
): Promise<HostSurvey> {
  const within = { deadlineMs: WITHIN_MS };
  const hosts = podThreads.map((thread) => context.ref(hostAddress(thread)));
  const [runtimePods, ...workers] = await Promise.all([
    context.ref(PLEG).ask({ type: 'runtime-pods', newerThan }, within),
    ...hosts.map((host) => host.ask({ type: 'list-actors', kind: 'pod-worker' }, within)),
  ]);
  // Asked last: the runtime has answered lists by now, so its health is most likely known.
  const health = await context.ref(CRI_GATEWAY).ask({ type: 'runtime-health' }, within);
  if (health.state !== 'up') throw new Error(`the runtime is ${health.state}`);
  const uids = workers.flat().map((address) => podUid(address.slice('pod-worker/'.length)));
  return { health, runtimePods, workers: uids };
}
