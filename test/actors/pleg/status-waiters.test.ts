import { describe, expect, it } from 'vitest';
import { PodRecords } from '../../../actors/pleg/pod-records.ts';
import { StatusWaiters } from '../../../actors/pleg/status-waiters.ts';
import { podUid } from '../../../src/kube/ids.ts';

const pod = podUid('p');
const other = podUid('q');
const never = Number.NEGATIVE_INFINITY;
const fault = { code: 'UNKNOWN', detail: 'out of order' } as const;

/** Waiters for unknown pods, and their answers: the instant of the status, or the fault's code. */
function waiters() {
  const records = new PodRecords();
  const waiters = new StatusWaiters();
  return {
    relisted: (at: number, ...inspections: (typeof pod)[]) =>
      waiters.relisted(
        at,
        inspections.map((uid) => ({ podUid: uid })),
        records,
      ),
    inspected: (uid = pod) => waiters.inspected(uid, undefined, records),
    failed: (uid = pod) => waiters.inspected(uid, fault, records),
    wanted: () => waiters.relistWanted,
    /** A list that grows by the answer. */
    ask: (newerThan: number, uid = pod): (number | string)[] => {
      const answers: (number | string)[] = [];
      waiters.ask(
        uid,
        {
          newerThan,
          answer: (outcome) => answers.push(outcome.ok ? outcome.value.observedAt : outcome.fault.code),
        },
        records,
      );
      return answers;
    },
  };
}

describe('a question for a status newer than an instant', () => {
  it.each([
    { rule: 'always waits before the first relist', relists: [], newerThan: never, answered: [] },
    { rule: 'is answered at once after a later relist', relists: [100], newerThan: 99, answered: [100] },
    { rule: 'waits after a relist of that very instant', relists: [100], newerThan: 100, answered: [] },
    { rule: 'waits after an earlier relist', relists: [100], newerThan: 150, answered: [] },
    { rule: 'counts the last relist', relists: [100, 200], newerThan: 150, answered: [200] },
    {
      rule: 'is answered by any relist if it names no instant',
      relists: [100],
      newerThan: never,
      answered: [100],
    },
  ])('$rule', ({ relists, newerThan, answered }) => {
    const it = waiters();
    for (const at of relists) it.relisted(at);
    expect(it.ask(newerThan)).toEqual(answered);
  });

  it('is answered by the first relist begun later, once', () => {
    const it = waiters();
    const [early, late] = [it.ask(50), it.ask(150)];
    it.relisted(100);
    expect([early, late]).toEqual([[100], []]);
    it.relisted(200);
    it.relisted(300);
    expect([early, late]).toEqual([[100], [200]]);
  });

  it('waits for the inspection that the relist requested', () => {
    const it = waiters();
    const asked = it.ask(50);
    it.relisted(100, pod);
    expect(asked).toEqual([]);
    it.inspected();
    expect(asked).toEqual([100]);
  });

  it('is answered from the previous relist during an inspection, if that is new enough', () => {
    const it = waiters();
    it.relisted(100);
    it.relisted(200, pod);
    expect(it.ask(99)).toEqual([100]);
    expect(it.ask(150)).toEqual([]);
  });

  it('does not wait for the inspection of another pod', () => {
    const it = waiters();
    const [hanging, asked] = [it.ask(50), it.ask(50, other)];
    it.relisted(100, pod);
    expect([hanging, asked]).toEqual([[], [100]]);
    it.relisted(200);
    expect([it.ask(150), it.ask(150, other)]).toEqual([[], [200]]);
  });

  it('waits for every running inspection of its pod', () => {
    const it = waiters();
    const asked = it.ask(50);
    it.relisted(100, pod);
    it.relisted(200, pod);
    it.inspected();
    expect(asked).toEqual([]);
    it.inspected();
    expect(asked).toEqual([100]);
  });

  it('gets the fault when the inspection fails, and the next question waits for another inspection', () => {
    const it = waiters();
    const asked = it.ask(50);
    it.relisted(100, pod);
    it.failed();
    expect(asked).toEqual(['UNKNOWN']);
    const again = it.ask(50);
    expect(again).toEqual([]);
    it.relisted(200, pod);
    expect(again).toEqual([]);
    it.inspected();
    expect(again).toEqual([200]);
  });

  it('is answered when a later relist makes the failed inspection unnecessary', () => {
    const it = waiters();
    it.relisted(100, pod);
    it.failed();
    const asked = it.ask(50);
    it.relisted(200);
    expect(asked).toEqual([200]);
  });

  it('is not answered while one of two inspections has failed', () => {
    const it = waiters();
    it.relisted(100, pod);
    it.relisted(200, pod);
    it.failed();
    const asked = it.ask(50);
    it.inspected();
    expect(asked).toEqual([]);
    it.relisted(300);
    expect(asked).toEqual([300]);
  });
});

describe('a relist', () => {
  it('is wanted while a question waits, but not for a pod under inspection', () => {
    const it = waiters();
    expect(it.wanted()).toBe(false);
    it.ask(50);
    expect(it.wanted()).toBe(true);
    it.relisted(100, pod);
    expect(it.wanted()).toBe(false);
    it.ask(150, other);
    expect(it.wanted()).toBe(true);
  });
});
