import { describe, expect, it } from 'vitest';
import { objectCacheClient } from '../../../actors/object-cache/client.ts';
import type { ActorRef, Protocol } from '../../../src/actor/messages/message.ts';
import { PULL_SECRET_LIMITS } from '../../../src/pod/image/image-credentials.ts';
import { pod } from '../../pod/pods.ts';

/** A cache in which secrets have these sizes; a name without a size is missing. */
function cacheOf(sizes: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const questions: object[] = [];
  const cache = {
    ask: async (question: { readonly name: string }) => {
      const { name } = question;
      questions.push(question);
      asked.push(name);
      const size = sizes[name];
      if (size === undefined) return { type: 'missing' };
      return { type: 'found', value: { uid: `uid of ${name}`, type: 'Opaque', data: { text: 'x'.repeat(size) } } };
    },
  };
  // The objects ask the cache and nothing else.
  const context = { ref: <P extends Protocol>() => cache as unknown as ActorRef<P> };
  return { asked, questions, objects: objectCacheClient(context) };
}

const namesOf = async (sizes: Readonly<Record<string, number>>, names: readonly string[]) => {
  const { asked, objects } = cacheOf(sizes);
  const { secrets, without } = await objects.pullSecrets(pod({ imagePullSecrets: names.map((name) => ({ name })) }));
  return { asked, secrets: secrets.map(({ name }) => name), without };
};

describe('the services for the environment of a container', () => {
  // The API server itself may be a static pod.
  it.each([
    ['a static pod', { 'kubernetes.io/config.source': 'file' }, { withinMs: 500 }],
    ['another pod', {}, {}],
  ])('of %s are awaited for a limited time only if it is static', async (_what, annotations, limit) => {
    const { questions, objects } = cacheOf({});
    const { metadata, ...rest } = pod();
    await objects.sourcesFor({ ...rest, metadata: { ...metadata, annotations } }, { name: 'main', image: 'app:1' });
    expect(questions).toEqual([{ type: 'services-of-namespace', namespace: metadata.namespace, ...limit }]);
  });
});

describe('the pull secrets of a pod', () => {
  it("are the existing secrets in the pod's order, and the names of the missing ones", async () => {
    const { secrets, without } = await namesOf({ b: 1, a: 1 }, ['b', 'gone', 'a']);
    expect({ secrets, without }).toEqual({ secrets: ['b', 'a'], without: ['gone'] });
  });

  it('are requested once each', async () => {
    const { asked, secrets } = await namesOf({ a: 1 }, ['a', 'a', '', 'a']);
    expect({ asked, secrets }).toEqual({ asked: ['a'], secrets: ['a'] });
  });

  it('are fetched up to the size limit, and the rest is named', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `secret-${at}`);
    const sizes = Object.fromEntries(names.map((name) => [name, PULL_SECRET_LIMITS.bytes / 8]));
    const { asked, without } = await namesOf(sizes, names);
    expect(asked.length).toBeLessThan(20);
    expect([...asked, ...without].toSorted()).toEqual(names.toSorted());
  });
});
