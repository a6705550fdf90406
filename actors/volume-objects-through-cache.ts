import { ActorFault } from '../src/actor/fault.ts';
import type { Address } from '../src/actor/message.ts';
import type { ObjectSource } from '../src/volumes/object-source.ts';
import type { Caller } from './cri-gateway/client.ts';
import { OBJECT_ANSWER_WITHIN_MS, type ObjectAnswer, type ObjectCacheProtocol } from './object-cache/protocol.ts';

/** How often a question that is lost with its answerer is asked. */
const TRIES = 3;

/**
 * What volumes are made of, from the object cache or whoever answers at this address in its place. Questions
 * that get lost with an incarnation are asked again. Never rejects while its caller lives.
 */
export function volumeObjectsThroughCache(
  context: Caller,
  address: Address,
): Omit<ObjectSource, 'bundle' | 'certificate'> {
  const cache = context.ref<ObjectCacheProtocol>(address);
  const asked = async <T>(ask: () => Promise<ObjectAnswer<T>>): Promise<ObjectAnswer<T>> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (fault) {
        if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
        const isLost = fault.code === 'callee-ended' || fault.code === 'thread-ended';
        if (!isLost || tries === TRIES) return { type: 'unavailable', message: fault.message };
      }
    }
  };
  const within = { deadlineMs: OBJECT_ANSWER_WITHIN_MS };
  return {
    async get({ kind, namespace, name }, podUid) {
      const question = { namespace, name, podUid };
      if (kind === 'ConfigMap') {
        const answer = await asked(() => cache.ask({ type: 'config-map', ...question }, within));
        if (answer.type !== 'found') return failedOr(answer);
        const { resourceVersion: version, data, binaryData } = answer.value;
        return { type: 'found', version, data: { data, binaryData } };
      }
      const answer = await asked(() => cache.ask({ type: 'secret', ...question }, within));
      if (answer.type !== 'found') return failedOr(answer);
      const { resourceVersion: version, data } = answer.value;
      return { type: 'found', version, data: { data } };
    },
    async token({ namespace, podName: name, podUid: uid }, { serviceAccount, audience, expirationSeconds }) {
      const audiences = audience === '' ? [] : [audience];
      const pod = { name, uid };
      const answer = await asked(() =>
        cache.ask(
          { type: 'service-account-token', namespace, serviceAccount, audiences, expirationSeconds, pod },
          within,
        ),
      );
      if (answer.type === 'found') return { type: 'found', token: answer.value.token };
      const why = answer.type === 'missing' ? `serviceaccounts "${serviceAccount}" not found` : answer.message;
      return { type: 'failed', message: `failed to fetch token: ${why}` };
    },
  };
}

const failedOr = (answer: Exclude<ObjectAnswer<unknown>, { type: 'found' }>) =>
  answer.type === 'missing' ? answer : ({ type: 'failed', message: answer.message } as const);
