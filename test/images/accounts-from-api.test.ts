import { describe, expect, it } from 'vitest';
import { accountsFromApi } from '../../src/images/accounts-from-api.ts';
import { apiClient, type ApiCall } from '../../src/api/api-client.ts';
import type { TokenAnswer } from '../../src/volumes/plan/object-source.ts';

const pod = { namespace: 'shop', name: 'web', uid: 'u', serviceAccount: 'builder' };

const accounts = (call: ApiCall, token: TokenAnswer = { type: 'found', token: 't' }, asked: unknown[] = []) =>
  accountsFromApi(apiClient(call), {
    token: (...question) => {
      asked.push(question);
      return Promise.resolve(token);
    },
  });

describe('service accounts of the API', () => {
  it('have their current UID', async () => {
    const known = accounts(({ path }) =>
      Promise.resolve({ ok: true, value: { metadata: { uid: `of ${path}`, annotations: { a: 'b' } } } }),
    );
    expect(await known.facts(pod)).toEqual({
      ok: true,
      value: { uid: 'of /api/v1/namespaces/shop/serviceaccounts/builder', annotations: { a: 'b' } },
    });
  });

  it.each([
    {
      fault: { kind: 'refused', code: 404, reason: 'NotFound', message: 'not found' } as const,
      problem: 'service account shop/builder: not found',
    },
    {
      fault: { kind: 'not-sent', message: 'no API server' } as const,
      problem: 'service account shop/builder: no API server',
    },
  ])('are not known: $problem', async ({ fault, problem }) => {
    expect(await accounts(() => Promise.resolve({ ok: false, fault })).facts(pod)).toEqual({ ok: false, problem });
  });

  it('have tokens bound to the pod, for an hour', async () => {
    const asked: unknown[] = [];
    const none: ApiCall = () => Promise.reject(new Error('nobody calls'));
    expect(await accounts(none, { type: 'found', token: 't' }, asked).token(pod, 'registry')).toEqual({
      ok: true,
      value: 't',
    });
    expect(asked).toEqual([
      [
        { namespace: 'shop', podName: 'web', podUid: 'u' },
        { serviceAccount: 'builder', audience: 'registry', expirationSeconds: 3_600 },
      ],
    ]);
    expect(await accounts(none, { type: 'failed', message: 'no' }).token(pod, 'registry')).toEqual({
      ok: false,
      problem: 'no',
    });
  });
});
