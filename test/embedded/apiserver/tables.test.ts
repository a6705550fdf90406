import { describe, expect, it } from 'vitest';
import { allKinds } from '../../../src/embedded/apiserver/store/all-kinds.ts';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import { nodeKind } from '../../../src/embedded/apiserver/kinds/node-kind.ts';
import { podKind } from '../../../src/embedded/apiserver/kinds/pod-kind.ts';
import { columnsOf } from '../../../src/embedded/apiserver/tables/all-columns.ts';
import { humanDuration } from '../../../src/kube/text/human-duration.ts';
import { NOW } from './api-under-test.ts';

const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();

interface PodLike {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

const cellsOf = ({ spec, status, metadata }: PodLike): readonly unknown[] => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: at(90), ...metadata },
    spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
    status: { phase: 'Running', ...status },
  } as ApiObject;
  return columnsOf(podKind)
    .slice(0, 5)
    .map(({ cell }) => cell(pod, NOW));
};
const ready = (name: string) => ({ name, ready: true, restartCount: 0, state: { running: {} } });

describe('the columns of a pod', () => {
  it.each([
    {
      rule: 'running containers are ready',
      pod: { status: { containerStatuses: [ready('a'), ready('b')] } },
      cells: ['2/2', 'Running', '0'],
    },
    {
      rule: 'a waiting container shows its reason',
      pod: {
        status: {
          phase: 'Pending',
          containerStatuses: [
            { name: 'a', restartCount: 0, state: { waiting: { reason: 'ImagePullBackOff' } } },
            ready('b'),
          ],
        },
      },
      cells: ['1/2', 'ImagePullBackOff', '0'],
    },
    {
      rule: 'restarts show the age of the last one',
      pod: {
        status: {
          containerStatuses: [
            { ...ready('a'), restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: at(30) } } },
            ready('b'),
          ],
        },
      },
      cells: ['2/2', 'Running', '3 (30s ago)'],
    },
    {
      rule: 'a container that ended without a reason shows its exit code',
      pod: {
        status: {
          phase: 'Failed',
          containerStatuses: [{ name: 'a', restartCount: 0, state: { terminated: { exitCode: 3 } } }],
        },
      },
      cells: ['0/2', 'ExitCode:3', '0'],
    },
    {
      rule: 'a pod with one completed and one running container is not ready',
      pod: {
        status: {
          containerStatuses: [
            { name: 'a', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            ready('b'),
          ],
        },
      },
      cells: ['1/2', 'NotReady', '0'],
    },
    {
      rule: 'init containers are counted',
      pod: {
        spec: { initContainers: [{ name: 'i' }, { name: 'j' }] },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'i', restartCount: 0, state: { terminated: { exitCode: 0 } } },
            { name: 'j', restartCount: 2, state: { running: {} } },
          ],
        },
      },
      cells: ['0/2', 'Init:1/2', '2'],
    },
    {
      rule: 'a failed init container shows its reason',
      pod: {
        spec: { initContainers: [{ name: 'i' }] },
        status: {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'i', restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
        },
      },
      cells: ['0/2', 'Init:CrashLoopBackOff', '1'],
    },
    {
      rule: 'sidecars count as containers',
      pod: {
        spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
        status: {
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [{ ...ready('s'), started: true }],
          containerStatuses: [ready('a'), ready('b')],
        },
      },
      cells: ['3/3', 'Running', '0'],
    },
    {
      rule: 'a pod being deleted is Terminating',
      pod: { metadata: { deletionTimestamp: at(0) }, status: { containerStatuses: [ready('a'), ready('b')] } },
      cells: ['2/2', 'Terminating', '0'],
    },
    {
      rule: 'an evicted pod shows Evicted',
      pod: { status: { phase: 'Failed', reason: 'Evicted' } },
      cells: ['0/2', 'Evicted', '0'],
    },
  ])('$rule', ({ pod, cells }) => {
    expect(cellsOf(pod)).toEqual(['p', ...cells, '90s']);
  });
});

describe('the columns of other kinds', () => {
  it('a node shows whether it is ready and schedulable', () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', creationTimestamp: at(3600), labels: { 'node-role.kubernetes.io/edge': '' } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1' } },
    };
    const cells = columnsOf(nodeKind).map(({ cell }) => cell(node, NOW));
    expect(cells.slice(0, 6)).toEqual(['n', 'Ready,SchedulingDisabled', 'edge', '60m', 'v1', '<none>']);
  });

  it.each(allKinds)('an empty $kind of $group has a row', (kind) => {
    const empty = {
      apiVersion: 'v1',
      kind: kind.kind,
      metadata: { name: 'x' },
      ...(kind === podKind && { spec: { containers: [] } }),
    };
    for (const { cell } of columnsOf(kind)) expect(cell(empty, NOW)).toBeDefined();
  });
});

describe('an age', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [150, '2m30s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600 + 120, '3h2m'],
    [8 * 3600, '8h'],
    [48 * 3600 + 7200, '2d2h'],
    [9 * 86_400, '9d'],
    [800 * 86_400, '2y70d'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});
