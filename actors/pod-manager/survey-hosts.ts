import type { ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { CRI_GATEWAY, type RuntimeHealth } from '../cri-gateway/protocol.ts';
import { PLEG, type RuntimePodName } from '../pleg/protocol.ts';

const WITHIN_MS = 10_000;

/** What is on the node, as those say who have it in front of them. */
export interface FoundAround {
  readonly health: RuntimeHealth;
  readonly runtimePods: readonly RuntimePodName[];
  readonly workers: readonly PodUid[];
}

/** Rejects when one of them does not say, or the runtime is away. `newerThan`: PLEG has to have looked after that moment. */
export async function askAround(
  context: Pick<ActorContext, 'ref'>,
  { podThreads, newerThan }: { readonly podThreads: readonly string[]; readonly newerThan: number },
): Promise<FoundAround> {
  const within = { deadlineMs: WITHIN_MS };
  const hosts = podThreads.map((thread) => context.ref(hostAddress(thread)));
  const [runtimePods, ...workers] = await Promise.all([
    context.ref(PLEG).ask({ type: 'runtime-pods', newerThan }, within),
    ...hosts.map((host) => host.ask({ type: 'list-actors', kind: 'pod-worker' }, within)),
  ]);
  // Asked last: by now it has answered lists, so it is most likely known to be up.
  const health = await context.ref(CRI_GATEWAY).ask({ type: 'runtime-health' }, within);
  if (health.state !== 'up') throw new Error(`the runtime is ${health.state}`);
  const uids = workers.flat().map((address) => podUid(address.slice('pod-worker/'.length)));
  return { health, runtimePods, workers: uids };
}
