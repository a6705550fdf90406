import { ActorFault } from '../src/actor/fault.ts';
import type { FetchToken } from '../src/csi/driver-tokens.ts';
import type { Caller } from './cri-gateway/client.ts';
import { OBJECT_ANSWER_WITHIN_MS, OBJECT_CACHE, type ObjectCacheProtocol } from './object-cache/protocol.ts';

/** Tokens for drivers of storage, from the object cache, which renews them. Never rejects while its caller lives. */
export function driverTokensThroughCache(context: Caller): FetchToken {
  const cache = context.ref<ObjectCacheProtocol>(OBJECT_CACHE);
  return async ({ namespace, serviceAccount, podName: name, podUid: uid }, { audience, expirationSeconds }) => {
    const failed = (why: string) => ({ ok: false as const, message: `failed to fetch token: ${why}` });
    try {
      const answer = await cache.ask(
        {
          type: 'service-account-token',
          namespace,
          serviceAccount,
          audiences: audience === '' ? [] : [audience],
          expirationSeconds,
          pod: { name, uid },
        },
        { deadlineMs: OBJECT_ANSWER_WITHIN_MS },
      );
      if (answer.type === 'found') return { ok: true, value: answer.value };
      return failed(answer.type === 'missing' ? `serviceaccounts "${serviceAccount}" not found` : answer.message);
    } catch (fault) {
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return failed(fault.message);
    }
  };
}
