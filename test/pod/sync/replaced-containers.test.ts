import { describe, expect, it } from 'vitest';
import { surplusOf } from '../../../src/pod/sync/replaced-containers.ts';
import { containerId, podUid, sandboxId } from '../../../src/kube/ids.ts';
import {
  emptyRuntimePodStatus,
  type RuntimeContainer,
  type RuntimePodStatus,
  type RuntimeSandbox,
} from '../../../src/pod/values/runtime-pod-status.ts';

const sandbox = (id: string, state: RuntimeSandbox['state']): RuntimeSandbox => ({
  id: sandboxId(id),
  attempt: 0,
  state,
  createdAt: 0,
  ip: undefined,
  additionalIps: [],
  hostNetwork: false,
});

const container = (
  id: string,
  parts: { state: RuntimeContainer['state']; name?: string; in?: string },
): RuntimeContainer => ({
  id: containerId(id),
  name: parts.name ?? 'main',
  sandboxId: parts.in === undefined ? undefined : sandboxId(parts.in),
  attempt: 0,
  state: parts.state,
  createdAt: 0,
  startedAt: 0,
  finishedAt: 0,
  exitCode: 0,
  reason: '',
  message: '',
  image: '',
  imageRef: '',
  logPath: '',
  hash: '',
  restartCount: 0,
  annotations: {},
});

/** Lists are newest first, as a runtime pod status has them. */
const holding = (parts: Partial<RuntimePodStatus>): RuntimePodStatus => ({
  ...emptyRuntimePodStatus({ uid: podUid('u'), name: 'p', namespace: 'n' }),
  ...parts,
});

describe("a living pod's removable records", () => {
  it.each([
    {
      what: 'every dead instance of a container but the newest',
      has: {
        containers: [
          container('c3', { state: 'running' }),
          container('c2', { state: 'exited' }),
          container('c1', { state: 'exited' }),
        ],
      },
      surplus: { containers: ['c1'], sandboxes: [] },
    },
    {
      what: 'of each container separately',
      has: {
        containers: [container('a1', { state: 'exited', name: 'a' }), container('b1', { state: 'exited', name: 'b' })],
      },
      surplus: { containers: [], sandboxes: [] },
    },
    {
      what: 'a dead sandbox that another has replaced',
      has: {
        sandboxes: [sandbox('s2', 'ready'), sandbox('s1', 'not-ready')],
        containers: [container('c', { state: 'running', in: 's2' })],
      },
      surplus: { containers: [], sandboxes: ['s1'] },
    },
    {
      what: 'not the newest sandbox, dead or not',
      has: { sandboxes: [sandbox('s2', 'not-ready'), sandbox('s1', 'ready')] },
      surplus: { containers: [], sandboxes: [] },
    },
    {
      what: 'not a dead sandbox that still holds a container',
      has: {
        sandboxes: [sandbox('s2', 'ready'), sandbox('s1', 'not-ready')],
        containers: [container('c', { state: 'exited', in: 's1' })],
      },
      surplus: { containers: [], sandboxes: [] },
    },
    {
      what: 'no sandbox while a container’s sandbox is unknown',
      has: {
        sandboxes: [sandbox('s2', 'ready'), sandbox('s1', 'not-ready')],
        containers: [container('c', { state: 'exited' })],
      },
      surplus: { containers: [], sandboxes: [] },
    },
  ])('$what', ({ has, surplus }) => {
    expect(surplusOf(holding(has))).toEqual(surplus);
  });

  it.each([
    [-1, ['c2', 'c1']],
    [0, ['c2', 'c1']],
    [2, ['c1']],
    [3, []],
  ])('keeps the given number of dead instances: %i', (keep, gone) => {
    const containers = ['c3', 'c2', 'c1'].map((id) => container(id, { state: 'exited' }));
    expect(surplusOf(holding({ containers }), { keep }).containers).toEqual(gone);
  });

  it('of an earlier life of the pod are removed as soon as a newer one exists, and not before', () => {
    const former = new Set([containerId('c1')]);
    const first = container('c1', { state: 'exited' });
    expect(surplusOf(holding({ containers: [first] }), { formerLife: former }).containers).toEqual([]);
    const both = holding({ containers: [container('c2', { state: 'running' }), first] });
    expect(surplusOf(both, { formerLife: former }).containers).toEqual(['c1']);
  });
});
