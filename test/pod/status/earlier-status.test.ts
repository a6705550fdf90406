import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '../../../src/kube/pod.ts';
import { continuing, hasEndedByItself, notLowering } from '../../../src/pod/status/earlier-status.ts';
import { pod } from '../pods.ts';

const running: ContainerState = { running: { startedAt: '2030-01-01T00:00:00Z' } };
const waiting: ContainerState = { waiting: { reason: 'ContainerCreating' } };
const exited = (exitCode: number): ContainerState => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
});
const main = (restartCount: number, parts: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'main',
  ready: false,
  restartCount,
  image: '',
  imageID: '',
  ...parts,
});
const holding = (status: ContainerStatus): PodStatus => ({ phase: 'Running', containerStatuses: [status] });
const lost = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };

describe('a status that continues an earlier one', () => {
  it.each<{ rule: string; own: ContainerStatus; earlier: ContainerStatus; is: Partial<ContainerStatus> }>([
    {
      rule: 'has the earlier count of the same instance',
      own: main(0, { containerID: 'a', state: running }),
      earlier: main(3, { containerID: 'a', state: running, lastState: exited(1) }),
      is: { restartCount: 3, lastState: exited(1) },
    },
    {
      rule: 'counts on from an instance that has ended',
      own: main(0, { containerID: 'b', state: running }),
      earlier: main(3, { containerID: 'a', state: exited(1) }),
      is: { restartCount: 4, lastState: exited(1) },
    },
    {
      rule: 'counts on from an instance whose end was not observed',
      own: main(0, { containerID: 'b', state: running }),
      earlier: main(3, { containerID: 'a', state: running }),
      is: { restartCount: 4, lastState: lost },
    },
    {
      rule: 'has the earlier count while no instance exists',
      own: main(0, { state: waiting }),
      earlier: main(3, { containerID: 'a', state: exited(1), lastState: exited(2) }),
      is: { restartCount: 3, lastState: exited(2) },
    },
    {
      rule: 'keeps what it knows better',
      own: main(7, { containerID: 'b', state: running, lastState: exited(0) }),
      earlier: main(3, { containerID: 'a', state: exited(1) }),
      is: { restartCount: 7, lastState: exited(0) },
    },
  ])('$rule', ({ own, earlier, is }) => {
    expect(continuing(holding(own), holding(earlier)).containerStatuses).toMatchObject([is]);
  });

  it('is the very same status if nothing earlier is higher', () => {
    const status = holding(main(3, { containerID: 'a', state: running }));
    expect(continuing(status, holding(main(2, { containerID: 'a', state: running })))).toBe(status);
    expect(continuing(status, { phase: 'Pending' })).toBe(status);
  });
});

describe('a status for an object that holds another one', () => {
  const status = fc.record({
    restartCount: fc.nat(5),
    last: fc.option(fc.constantFrom(0, 1, 137), { nil: undefined }),
  });
  const made = ({ restartCount, last }: { restartCount: number; last: number | undefined }): PodStatus =>
    holding(main(restartCount, { state: running, ...(last !== undefined && { lastState: exited(last) }) }));

  it('never lowers a restart count, and never takes a last state back', () => {
    fc.assert(
      fc.property(status, status, (own, held) => {
        const [written] = notLowering(made(own), made(held)).containerStatuses ?? [];
        expect(written?.restartCount).toBe(Math.max(own.restartCount, held.restartCount));
        expect(written?.lastState).toEqual(
          made(own).containerStatuses?.[0]?.lastState ?? made(held).containerStatuses?.[0]?.lastState,
        );
      }),
    );
  });

  it('covers init and ephemeral containers', () => {
    const lists = (restartCount: number): PodStatus => ({
      initContainerStatuses: [main(restartCount)],
      ephemeralContainerStatuses: [main(restartCount)],
    });
    expect(notLowering(lists(1), lists(4))).toEqual(lists(4));
  });
});

describe('a pod whose object has a terminal phase', () => {
  const ended = [main(0, { state: exited(0) })];
  const never = { restartPolicy: 'Never' } as const;
  it.each<{ which: string; pod: Pod; byItself: boolean }>([
    {
      which: 'with all containers done',
      pod: pod({ ...never, status: { phase: 'Succeeded', containerStatuses: ended } }),
      byItself: true,
    },
    {
      which: 'past its deadline',
      pod: pod({ status: { phase: 'Failed', reason: 'DeadlineExceeded' } }),
      byItself: true,
    },
    {
      which: 'evicted',
      pod: pod({ ...never, status: { phase: 'Failed', reason: 'Evicted', containerStatuses: ended } }),
      byItself: false,
    },
    { which: 'ended by a shutdown', pod: pod({ status: { phase: 'Failed', reason: 'Terminated' } }), byItself: false },
    { which: 'rejected', pod: pod({ ...never, status: { phase: 'Failed', reason: 'NodeAffinity' } }), byItself: false },
    {
      which: 'marked as failed by another client',
      pod: pod({ ...never, status: { phase: 'Failed', containerStatuses: [main(0, { state: running })] } }),
      byItself: false,
    },
    {
      which: 'that always restarts its containers',
      pod: pod({ status: { phase: 'Failed', containerStatuses: ended } }),
      byItself: false,
    },
    {
      which: 'that is not terminal',
      pod: pod({ ...never, status: { phase: 'Running', containerStatuses: ended } }),
      byItself: false,
    },
  ])('$which, has ended by itself: $byItself', ({ pod: one, byItself }) => {
    expect(hasEndedByItself(one)).toBe(byItself);
  });
});
