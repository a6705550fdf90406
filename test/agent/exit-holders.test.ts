import { describe, expect, it } from 'vitest';
import { EXIT_WITHIN_MS, exitHolder } from '../../src/agent/exit-holders.ts';
import { manualClock } from '../support/manual-clock.ts';

const never = (): Promise<void> => new Promise(() => {});

/** Starts the check, lets time pass, and returns the result; `pending` when there is no result by then. */
async function holderAfter(
  ms: number,
  { endThreads = () => Promise.resolve(), active = () => [] }: Partial<Asked> = {},
): Promise<string | undefined> {
  const clock = manualClock();
  let answer: string | undefined = 'pending';
  const asked = exitHolder({ endThreads, activeResources: () => active(clock.monotonic()), clock });
  void asked.then((holder) => (answer = holder));
  await clock.advanceAndSettle(ms);
  return answer;
}

interface Asked {
  readonly endThreads: () => Promise<void>;
  /** The types of pending operations, by time. */
  readonly active: (now: number) => readonly string[];
}

describe('an exit', () => {
  it.each<{ rule: string; given: Partial<Asked> }>([
    { rule: 'nothing is under way', given: {} },
    {
      rule: 'a thread has not ended in order',
      given: { endThreads: () => Promise.reject(new Error('it was broken')) },
    },
    {
      rule: 'only operations that the kernel does not block are pending',
      given: { active: () => ['Timeout', 'TCPSocketWrap', 'PipeWrap', 'TTYWrap', 'WriteWrap', 'MessagePort'] },
    },
  ])('is held up by nothing when $rule', async ({ given }) => {
    expect(await holderAfter(0, given)).toBeUndefined();
  });

  it.each(['FSReqCallback', 'FSReqPromise', 'FileHandleCloseReq', 'GetAddrInfoReqWrap'])(
    'waits for work of the main thread that ends: %s',
    async (type) => {
      const active = (now: number): readonly string[] => (now < 300 ? ['Timeout', type] : ['Timeout']);
      expect(await holderAfter(280, { active })).toBe('pending');
      expect(await holderAfter(300, { active })).toBeUndefined();
    },
  );

  it('is held up by work of the main thread that does not end in time', async () => {
    const active = (): readonly string[] => ['FSReqPromise'];
    expect(await holderAfter(EXIT_WITHIN_MS - 1, { active })).toBe('pending');
    expect(await holderAfter(EXIT_WITHIN_MS, { active })).toBe(
      "the main thread's file operation does not end (FSReqPromise)",
    );
  });

  it('is held up by a thread that does not end in time', async () => {
    expect(await holderAfter(EXIT_WITHIN_MS - 1, { endThreads: never })).toBe('pending');
    expect(await holderAfter(EXIT_WITHIN_MS, { endThreads: never })).toBe('a thread does not end');
  });
});
