import { ActorFault } from '../../src/actor/fault.ts';
import type { ForeignVolumes } from '../../src/volumes/foreign-volumes.ts';
import type { Caller } from '../cri-gateway/client.ts';
import { CSI_MANAGER, type CsiManagerProtocol } from './protocol.ts';

/** Three calls to a driver, each of which may take its two minutes. */
const ANSWER_WITHIN_MS = 400_000;

/** Volumes of drivers of storage, by way of the CSI manager. A question that got lost is the volume manager's to ask again. */
export function csiThroughManager(context: Caller): ForeignVolumes {
  const manager = context.ref<CsiManagerProtocol>(CSI_MANAGER);
  const orLost = async <T>(asked: Promise<T>): Promise<T | { readonly ok: false; readonly message: string }> => {
    try {
      return await asked;
    } catch (fault) {
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return { ok: false, message: `the CSI manager: ${fault.message}` };
    }
  };
  const options = { deadlineMs: ANSWER_WITHIN_MS };
  return {
    make: ({ podUid, podName, namespace, fsGroup }, plan) => {
      const { serviceAccount } = plan;
      const pod = { podUid, podName, namespace, serviceAccount, ...(fsGroup === undefined ? {} : { fsGroup }) };
      return orLost(manager.ask({ type: 'make-volume', pod, plan }, options));
    },
    takeAway: (podUid) => orLost(manager.ask({ type: 'take-volumes-away', podUid }, options)),
  };
}
