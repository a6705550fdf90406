import { describe, expect, it } from 'vitest';

import type { ContainerStatus } from '../../../src/kube/pod.ts';
import type { ContainerKind, ContainerStatusInput } from '../../../src/pod/status/container-status.ts';
import { containerStatuses } from '../../../src/pod/status/container-status.ts';
import type { PodParts } from '../pods.ts';
import { container, exited, pod, record, runtime, sidecar } from '../pods.ts';
import { ended, running, terminated, waiting } from '../statuses.ts';

interface Case {
  readonly rule: string;
  readonly kind?: ContainerKind;
  readonly pod?: PodParts;
  readonly held?: Parameters<typeof runtime>[0];
  readonly previous?: readonly ContainerStatus[];
  readonly more?: Partial<ContainerStatusInput>;
  readonly shows: Readonly<Record<string, unknown>>;
}

const LOST = {
  reason: 'ContainerStatusUnknown',
  exitCode: 137,
  message: 'The container could not be located when the pod was deleted.  The container used to be Running',
};
const withInit: PodParts = { initContainers: [container('i')] };
const noImage = () => ({ reason: 'ErrImagePull', message: 'no such image' });
const reset = expect.objectContaining({ reason: 'RestartingAllContainers' });

const statusesOf = ({ kind = 'regular', pod: parts, held, previous, more }: Omit<Case, 'rule' | 'shows'>) =>
  containerStatuses(kind, {
    pod: pod(parts),
    runtime: runtime(held),
    runtimeName: 'containerd',
    previous,
    startFailure: () => undefined,
    ...more,
  });

describe('the status of a container', () => {
  it.each<Case>([
    {
      rule: 'is waiting before it is created',
      shows: { state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 0, ready: false },
    },
    {
      rule: 'waits for initialisation where there are init containers',
      pod: withInit,
      shows: { state: { waiting: { reason: 'PodInitializing' } } },
    },
    {
      rule: 'waits likewise as an init container',
      kind: 'init',
      pod: withInit,
      shows: { state: { waiting: { reason: 'PodInitializing' } } },
    },
    {
      rule: 'waits as an ephemeral container',
      kind: 'ephemeral',
      pod: { ephemeralContainers: [container('dbg')] },
      shows: { name: 'dbg', state: { waiting: { reason: 'ContainerCreating' } } },
    },
    {
      rule: 'ends as lost as an ephemeral container whose record is gone, for it does not start again',
      kind: 'ephemeral',
      pod: { ephemeralContainers: [container('dbg')] },
      previous: [running('dbg')],
      shows: { name: 'dbg', state: { terminated: LOST }, restartCount: 0 },
    },
    {
      rule: 'is running',
      held: { containers: [record('main')] },
      shows: {
        state: { running: { startedAt: '2030-01-02T03:04:05Z' } },
        containerID: 'containerd://main-0',
        image: 'registry.test/app:1',
        imageID: 'sha256:1',
      },
    },
    {
      rule: 'is waiting while only created',
      held: { containers: [record('main', 'created')] },
      shows: { state: { waiting: {} } },
    },
    {
      rule: 'is terminated',
      held: { containers: [exited('main', 3, { message: 'bye' })] },
      shows: {
        state: {
          terminated: {
            exitCode: 3,
            reason: 'Error',
            message: 'bye',
            startedAt: '2030-01-02T03:04:05Z',
            finishedAt: '2030-01-02T03:04:05Z',
            containerID: 'containerd://main-0',
          },
        },
      },
    },
    {
      rule: 'is terminated as lost when its state is unknown after a run',
      held: { containers: [record('main', 'unknown')] },
      previous: [running('main', { restartCount: 2 })],
      shows: {
        state: {
          terminated: {
            exitCode: 137,
            reason: 'ContainerStatusUnknown',
            message: 'The container could not be located when the pod was terminated',
          },
        },
        restartCount: 3,
      },
    },
    {
      rule: 'stays terminated as lost',
      held: { containers: [record('main', 'unknown')] },
      previous: [terminated('main', 137)],
      shows: { state: ended(137) },
    },
    {
      rule: 'is waiting when unknown from the start',
      held: { containers: [record('main', 'unknown')] },
      shows: { state: { waiting: {} } },
    },
    {
      rule: 'has the record before the newest as its last state',
      held: { containers: [exited('main', 1), record('main', 'running', { attempt: 1 })] },
      shows: {
        restartCount: 1,
        lastState: { terminated: expect.objectContaining({ exitCode: 1, containerID: 'containerd://main-0' }) },
      },
    },
    {
      rule: 'uses no older record',
      held: {
        containers: [exited('main', 1), exited('main', 2, { attempt: 1 }), record('main', 'running', { attempt: 2 })],
      },
      shows: { restartCount: 2, lastState: { terminated: expect.objectContaining({ exitCode: 2 }) } },
    },
    {
      rule: 'keeps its end when the record is gone',
      previous: [terminated('main', 1, { restartCount: 4 })],
      shows: { state: ended(1), restartCount: 4 },
    },
    {
      rule: 'keeps count and last state while it waits',
      previous: [waiting('main', { restartCount: 4, lastState: ended(1) })],
      shows: { state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 4, lastState: ended(1) },
    },
    {
      rule: 'counts a running container that vanished as lost and restarted',
      previous: [running('main')],
      shows: { state: { waiting: { reason: 'ContainerCreating' } }, lastState: { terminated: LOST }, restartCount: 1 },
    },
    {
      rule: 'counts no restart when the pod is being deleted',
      pod: { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
      previous: [running('main')],
      shows: { lastState: { terminated: LOST }, restartCount: 0 },
    },
    {
      rule: 'keeps the last state of a lost container once it runs again',
      held: { containers: [record('main', 'running', { attempt: 1 })] },
      previous: [waiting('main', { restartCount: 1, lastState: { terminated: LOST } })],
      shows: { restartCount: 1, lastState: { terminated: LOST } },
    },
    {
      rule: 'has a lost last state, if the runtime has no record of the previous instance',
      held: { containers: [record('main', 'running', { attempt: 1 })] },
      previous: [running('main', { containerID: 'containerd://another' })],
      shows: { restartCount: 1, lastState: { terminated: LOST } },
    },
    {
      rule: 'has the end of a replaced container as its last state',
      held: { containers: [record('main', 'running', { attempt: 1 })] },
      previous: [terminated('main', 7)],
      shows: { lastState: ended(7) },
    },
    {
      rule: 'never counts backwards',
      held: { containers: [record('main')] },
      previous: [waiting('main', { restartCount: 5 })],
      shows: { restartCount: 5 },
    },
    {
      rule: 'shows a finished init container',
      kind: 'init',
      pod: withInit,
      held: { containers: [exited('i', 0)] },
      more: { startFailure: noImage },
      shows: { state: { terminated: expect.objectContaining({ exitCode: 0 }) } },
    },
    {
      rule: 'treats an init container without a record as completed once a regular container was created',
      kind: 'init',
      pod: withInit,
      held: { containers: [record('main')] },
      shows: { state: { terminated: expect.objectContaining({ exitCode: 0, reason: 'Completed' }) } },
    },
    {
      rule: 'does not treat a sidecar like that',
      kind: 'init',
      pod: { initContainers: [sidecar('s')] },
      held: { containers: [record('main')] },
      shows: { state: { waiting: { reason: 'PodInitializing' } } },
    },
    {
      rule: 'shows the reason of a failed start',
      more: { startFailure: noImage },
      shows: { state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } },
    },
    {
      rule: 'then moves its end to the last state',
      held: { containers: [exited('main', 1)] },
      more: { startFailure: noImage },
      shows: {
        state: { waiting: expect.anything() },
        lastState: { terminated: expect.objectContaining({ exitCode: 1 }) },
      },
    },
    {
      rule: 'hides the reason if the container is not to start',
      pod: { restartPolicy: 'Never' },
      held: { containers: [exited('main', 1)] },
      more: { startFailure: noImage },
      shows: { state: { terminated: expect.anything() } },
    },
    {
      rule: 'stays terminated before a restart was tried',
      held: { containers: [exited('main', 1)] },
      shows: { state: { terminated: expect.anything() } },
    },
    {
      rule: 'shows a removal by the restart of all containers',
      previous: [running('main', { ready: true })],
      more: { restartingAll: true },
      shows: { state: { waiting: reset }, lastState: { terminated: reset }, restartCount: 1, ready: false },
    },
    {
      rule: 'keeps an init container ready through that',
      kind: 'init',
      pod: withInit,
      previous: [terminated('i', 0, { ready: true })],
      more: { restartingAll: true },
      shows: { state: { waiting: reset }, restartCount: 1, ready: true },
    },
    {
      rule: 'shows allocated resources',
      pod: { containers: [container('main', { resources: { requests: { cpu: '1' } } })] },
      held: { containers: [record('main')] },
      shows: { allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } },
    },
    {
      rule: 'shows the actual resources of a running container',
      held: { containers: [record('main')] },
      more: { actualResources: () => ({ limits: { cpu: '2' } }) },
      shows: { resources: { limits: { cpu: '2' } } },
    },
    {
      rule: 'shows whether submounts are read-only',
      pod: {
        containers: [
          container('main', {
            volumeMounts: [
              { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' },
              { name: 'w', mountPath: '/w' },
            ],
          }),
        ],
      },
      held: { containers: [record('main')] },
      more: { recursiveReadOnly: true },
      shows: {
        volumeMounts: [
          { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'Enabled' },
          { name: 'w', mountPath: '/w' },
        ],
      },
    },
  ])('$rule', ({ shows, ...given }) => {
    expect(statusesOf(given)[0]).toMatchObject(shows);
  });

  it('is sorted by name, init containers by their order', () => {
    const given = { containers: [container('b'), container('a')], initContainers: [container('z'), container('y')] };
    expect(statusesOf({ pod: given }).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(statusesOf({ pod: given, kind: 'init' }).map(({ name }) => name)).toEqual(['z', 'y']);
  });

  it('returns unchanged states as the same objects', () => {
    const given = { containers: [exited('main', 1), record('main', 'running', { attempt: 1 })] };
    const [first] = statusesOf({ held: given });
    const [second] = statusesOf({ held: given, ...(first && { previous: [first] }) });
    expect(second?.state).toBe(first?.state);
    expect(second?.lastState).toBe(first?.lastState);
  });
});
