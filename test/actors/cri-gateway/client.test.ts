import { describe, expect, it } from 'vitest';
import { criGatewayClient } from '../../../actors/cri-gateway/client.ts';
import type { CriCall } from '../../../actors/cri-gateway/protocol.ts';
import { ActorFault, type FaultCode } from '../../../src/actor/fault.ts';
import type { ActorRef, AddressOf, Protocol } from '../../../src/actor/messages/message.ts';

/** An actor whose gateway answers every ask with `answer`, and which records the asks. */
function caller(answer: () => Promise<unknown>) {
  const asked: (CriCall & { readonly deadlineMs: number })[] = [];
  const ref = <Other extends Protocol>(address: AddressOf<Other>): ActorRef<Other> => ({
    address,
    tell() {},
    ask(question, within) {
      asked.push({ ...(question as unknown as CriCall), ...within });
      return answer() as Promise<never>;
    },
  });
  return { asked, call: criGatewayClient({ address: 'pod-worker/p', incarnation: 7, ref }, 120_000) };
}

const ok = () => Promise.resolve({ ok: true, value: new Uint8Array() });
const rejects = (code: FaultCode) => () => Promise.reject(new ActorFault(code, 'because'));
const nothing = new Uint8Array();

describe('a CRI call of an actor', () => {
  it('carries its caller and the caller’s incarnation', async () => {
    const { asked, call } = caller(ok);
    await call('CreateContainer', nothing, { podUid: 'p' });
    expect(asked).toEqual([
      expect.objectContaining({ method: 'CreateContainer', caller: 'pod-worker/p', incarnation: 7, podUid: 'p' }),
    ]);
  });

  it.each([
    { method: 'StartContainer', options: {}, timeoutMs: 120_000 },
    { method: 'StopContainer', options: { timeoutMs: 150_000 }, timeoutMs: 150_000 },
    { method: 'PullImage', options: {}, timeoutMs: undefined },
  ] as const)(
    '$method gets $timeoutMs ms, and its way to the runtime some more',
    async ({ method, options, timeoutMs }) => {
      const { asked, call } = caller(ok);
      await call(method, nothing, options);
      expect(asked[0]?.timeoutMs).toBe(timeoutMs);
      expect(asked[0]?.deadlineMs).toBeGreaterThan(timeoutMs ?? 3_600_000);
    },
  );

  it.each([
    { fault: 'callee-ended', code: 'INTERRUPTED' },
    { fault: 'thread-ended', code: 'INTERRUPTED' },
    { fault: 'deadline-exceeded', code: 'INTERRUPTED' },
    { fault: 'not-plain-data', code: 'INTERRUPTED' },
    { fault: 'overloaded', code: 'NOT_MADE' },
    { fault: 'no-such-actor', code: 'NOT_MADE' },
  ] as const)('that is lost ($fault) is an outcome: $code', async ({ fault, code }) => {
    const { call } = caller(rejects(fault));
    await expect(call('CreateContainer', nothing, {})).resolves.toMatchObject({ ok: false, fault: { code } });
  });

  it('of an ended actor is not made', async () => {
    const { call } = caller(rejects('caller-ended'));
    await expect(call('CreateContainer', nothing, {})).rejects.toThrow('because');
  });
});
