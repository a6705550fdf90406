import { describe, expect, it } from 'vitest';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '../../../src/kube/pod.ts';
import { ageSince, humanDuration } from '../../../src/kube/text/human-duration.ts';
import { columnWidths, formatTable } from '../../../src/cli/terminal/format-table.ts';
import { inOrder, podHeader, podRow } from '../../../src/cli/get/pod-table.ts';
import { summarizePod } from '../../../src/cli/get/pod-summary.ts';

const NOW = Date.parse('2025-06-01T12:00:00Z');

const container = (name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state,
  ready: state.running !== undefined,
  started: state.running !== undefined,
  restartCount: 0,
  image: 'busybox',
  imageID: '',
  ...more,
});
const running: ContainerState = { running: { startedAt: '2025-06-01T11:59:00Z' } };
const waiting = (reason: string): ContainerState => ({ waiting: { reason } });
const ended = (exitCode: number, reason?: string, signal?: number): ContainerState => ({
  terminated: { exitCode, ...(reason !== undefined && { reason }), ...(signal !== undefined && { signal }) },
});
const READY = [{ type: 'Ready', status: 'True' }] as const;

interface Given {
  readonly status: PodStatus;
  readonly containers?: readonly string[];
  readonly init?: readonly string[];
  readonly sidecars?: readonly string[];
  readonly deleted?: true;
}

function podOf({ status, containers = ['a'], init = [], sidecars = [], deleted }: Given): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'u',
      ...(deleted && { deletionTimestamp: '2025-06-01T11:00:00Z' }),
    },
    spec: {
      nodeName: 'node-1',
      containers: containers.map((name) => ({ name })),
      initContainers: [
        ...sidecars.map((name) => ({ name, restartPolicy: 'Always' as const })),
        ...init.map((name) => ({ name })),
      ],
    },
    status,
  };
}

interface Case extends Given {
  readonly rule: string;
  readonly ready: string;
  readonly word: string;
}

describe('the READY and STATUS of a pod', () => {
  it.each([
    {
      rule: 'are those of its phase while no container status is known',
      status: { phase: 'Pending' },
      ready: '0/1',
      word: 'Pending',
    },
    { rule: 'show Unknown without a status', status: {}, ready: '0/1', word: 'Unknown' },
    {
      rule: 'show the reason of a pod that was rejected',
      status: { phase: 'Failed', reason: 'Evicted' },
      ready: '0/1',
      word: 'Evicted',
    },
    {
      rule: 'show the waiting reason of a container',
      status: { phase: 'Pending', containerStatuses: [container('a', waiting('ContainerCreating'))] },
      ready: '0/1',
      word: 'ContainerCreating',
    },
    {
      rule: 'count running and ready containers',
      status: {
        phase: 'Running',
        containerStatuses: [container('a', running), container('b', running, { ready: false })],
      },
      containers: ['a', 'b'],
      ready: '1/2',
      word: 'Running',
    },
    {
      rule: 'show a crash loop',
      status: {
        phase: 'Running',
        containerStatuses: [container('a', running), container('b', waiting('CrashLoopBackOff'))],
      },
      containers: ['a', 'b'],
      ready: '1/2',
      word: 'CrashLoopBackOff',
    },
    {
      rule: 'show the reason of the first container that has one',
      status: {
        phase: 'Running',
        containerStatuses: [container('a', ended(1, 'Error')), container('b', waiting('CrashLoopBackOff'))],
      },
      containers: ['a', 'b'],
      ready: '0/2',
      word: 'Error',
    },
    {
      rule: 'show an exit code without a reason',
      status: { phase: 'Failed', containerStatuses: [container('a', ended(3))] },
      ready: '0/1',
      word: 'ExitCode:3',
    },
    {
      rule: 'show a signal without a reason',
      status: { phase: 'Failed', containerStatuses: [container('a', ended(137, undefined, 9))] },
      ready: '0/1',
      word: 'Signal:9',
    },
    {
      rule: 'show Completed when all containers have exited',
      status: { phase: 'Succeeded', containerStatuses: [container('a', ended(0, 'Completed'))] },
      ready: '0/1',
      word: 'Completed',
    },
    {
      rule: 'show NotReady when one container has exited and another runs',
      status: { phase: 'Running', containerStatuses: [container('a', ended(0, 'Completed')), container('b', running)] },
      containers: ['a', 'b'],
      ready: '1/2',
      word: 'NotReady',
    },
    {
      rule: 'show Running when one container has exited and the pod is ready',
      status: {
        phase: 'Running',
        conditions: READY,
        containerStatuses: [container('a', ended(0, 'Completed')), container('b', running)],
      },
      containers: ['a', 'b'],
      ready: '1/2',
      word: 'Running',
    },
    {
      rule: 'count finished init containers',
      status: {
        phase: 'Pending',
        initContainerStatuses: [container('i', ended(0, 'Completed')), container('j', running)],
      },
      init: ['i', 'j'],
      ready: '0/1',
      word: 'Init:1/2',
    },
    {
      rule: 'show a waiting init container',
      status: { phase: 'Pending', initContainerStatuses: [container('i', waiting('PodInitializing'))] },
      init: ['i'],
      ready: '0/1',
      word: 'Init:0/1',
    },
    {
      rule: 'show an init container that failed',
      status: { phase: 'Pending', initContainerStatuses: [container('i', ended(1, 'Error'))] },
      init: ['i'],
      ready: '0/1',
      word: 'Init:Error',
    },
    {
      rule: 'show an init container that failed without a reason',
      status: { phase: 'Pending', initContainerStatuses: [container('i', ended(4))] },
      init: ['i'],
      ready: '0/1',
      word: 'Init:ExitCode:4',
    },
    {
      rule: 'show an init container in a crash loop',
      status: { phase: 'Pending', initContainerStatuses: [container('i', waiting('CrashLoopBackOff'))] },
      init: ['i'],
      ready: '0/1',
      word: 'Init:CrashLoopBackOff',
    },
    {
      rule: 'count a ready sidecar as a container',
      status: {
        phase: 'Running',
        initContainerStatuses: [container('s', running)],
        containerStatuses: [container('a', running)],
      },
      sidecars: ['s'],
      ready: '2/2',
      word: 'Running',
    },
    {
      rule: 'wait for a sidecar that has not started',
      status: { phase: 'Pending', initContainerStatuses: [container('s', running, { started: false, ready: false })] },
      sidecars: ['s'],
      ready: '0/2',
      word: 'Init:0/1',
    },
    {
      rule: 'show Terminating for a pod that is being deleted',
      status: { phase: 'Running', containerStatuses: [container('a', running)] },
      deleted: true,
      ready: '1/1',
      word: 'Terminating',
    },
    {
      rule: 'show the final phase of an ended pod that is being deleted',
      status: { phase: 'Succeeded', containerStatuses: [container('a', ended(0, 'Completed'))] },
      deleted: true,
      ready: '0/1',
      word: 'Completed',
    },
    {
      rule: 'show Unknown for a deleted pod on a lost node',
      status: { phase: 'Running', reason: 'NodeLost' },
      deleted: true,
      ready: '0/1',
      word: 'Unknown',
    },
  ] satisfies Case[])('$rule', ({ ready, word, ...given }) => {
    const { readyContainers, totalContainers, status } = summarizePod(podOf(given));
    expect([`${readyContainers}/${totalContainers}`, status]).toEqual([ready, word]);
  });
});

describe('the RESTARTS of a pod', () => {
  const lastState = (finishedAt: string): ContainerState => ({ terminated: { exitCode: 1, finishedAt } });

  it('add up over its containers, with the time since the latest', () => {
    const containerStatuses = [
      container('a', running, { restartCount: 2, lastState: lastState('2025-06-01T11:50:00Z') }),
      container('b', running, { restartCount: 1, lastState: lastState('2025-06-01T11:55:00Z') }),
    ];
    const row = podRow(
      podOf({ status: { containerStatuses }, containers: ['a', 'b'] }),
      { wide: false, namespaces: false },
      NOW,
    );
    expect(row[3]).toBe('3 (5m ago)');
  });

  it('are those of the init containers while they run', () => {
    const initContainerStatuses = [container('i', running, { restartCount: 4 })];
    expect(summarizePod(podOf({ status: { initContainerStatuses }, init: ['i'] })).restarts).toBe(4);
  });

  it('leave out finished init containers, but not sidecars', () => {
    const initContainerStatuses = [
      container('s', running, { restartCount: 2 }),
      container('i', ended(0), { restartCount: 4 }),
    ];
    const status = { initContainerStatuses, containerStatuses: [container('a', running, { restartCount: 1 })] };
    expect(summarizePod(podOf({ status, init: ['i'], sidecars: ['s'] })).restarts).toBe(3);
  });
});

describe('a row of the table', () => {
  it('has the namespace, the address and the node when requested', () => {
    const columns = { wide: true, namespaces: true };
    const status: PodStatus = { phase: 'Running', podIP: '10.0.0.7', startTime: '2025-06-01T11:00:00Z' };
    expect(podHeader(columns)).toEqual(['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE']);
    expect(podRow(podOf({ status }), columns, NOW)).toEqual([
      'default',
      'p',
      '0/1',
      'Running',
      '0',
      '60m',
      '10.0.0.7',
      'node-1',
    ]);
  });

  it('shows unknown values as such', () => {
    const row = podRow(podOf({ status: {} }), { wide: true, namespaces: false }, NOW);
    expect(row.slice(-3)).toEqual(['<unknown>', '<none>', 'node-1']);
  });

  it('is sorted by namespace and name', () => {
    const pods = ['b/a', 'a/z', 'a/b'].map((key): Pod => {
      const [namespace = '', name = ''] = key.split('/');
      return { ...podOf({ status: {} }), metadata: { namespace, name, uid: key } };
    });
    expect(inOrder(pods).map(({ metadata }) => metadata.uid)).toEqual(['a/b', 'a/z', 'b/a']);
  });
});

describe('a table', () => {
  it('has columns as wide as their widest cell, and three blanks between them', () => {
    expect(
      formatTable([
        ['A', 'B'],
        ['long', 'x'],
      ]),
    ).toEqual(['A      B', 'long   x']);
  });

  it('keeps earlier column widths', () => {
    expect(formatTable([['a', 'b']], columnWidths([['aaaa', 'b']]))).toEqual(['a      b']);
  });
});

describe('an age', () => {
  const SECOND = 1_000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;
  it.each([
    [0, '0s'],
    [-SECOND, '0s'],
    [-5 * SECOND, '<invalid>'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE + 59 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR + 5 * MINUTE, '3h5m'],
    [8 * HOUR + 5 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY + HOUR, '2d1h'],
    [8 * DAY + HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [2 * 365 * DAY + 10 * DAY, '2y10d'],
    [9 * 365 * DAY, '9y'],
  ])('of %d ms is written %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });

  it.each([undefined, 'not a time'])('since %s is not known', (instant) => {
    expect(ageSince(instant, NOW)).toBe('<unknown>');
  });
});
