import { describe, expect, it } from 'vitest';
import { statusProblem } from '../../lifecycle/compare-statuses.ts';
import type { ExpectedStatus, StatusEntry } from '../../lifecycle/scenario.ts';
import { withLateMessages } from './late-messages.ts';

const unready = (...names: readonly string[]) => {
  const why = `False/ContainersNotReady/containers with unready status: [${names.join(' ')}]`;
  return { Ready: why, ContainersReady: why };
};
const sandbox = (is: 'True' | 'False') => ({
  PodReadyToStartContainers: is,
  Initialized: 'True',
  PodScheduled: 'True',
});
const ready = { Ready: 'True', ContainersReady: 'True' };

const bare = { phase: 'Pending' };
const starting: StatusEntry = {
  phase: 'Pending',
  conditions: { ...sandbox('True'), ...unready('main') },
  containers: { main: { state: 'waiting/ContainerCreating', started: false } },
};
const running: StatusEntry = {
  phase: 'Running',
  ip: true,
  conditions: { ...sandbox('True'), ...ready },
  containers: { main: { state: 'running', ready: true, started: true } },
};
const pullFailed: StatusEntry = {
  ...running,
  conditions: { ...sandbox('True'), ...unready('main') },
  containers: { main: { state: 'waiting/ErrImagePull', message: 'nope', started: false } },
};
const putOff = (why: string): StatusEntry => ({
  ...pullFailed,
  containers: {
    main: { state: 'waiting/ImagePullBackOff', message: `Back-off: ErrImagePull: ${why}`, started: false },
  },
});
const ended: StatusEntry = {
  deleting: 30,
  phase: 'Running',
  conditions: { ...sandbox('True'), ...unready('main') },
  containers: { main: { state: 'terminated/Error/143', started: false } },
};
const failed: StatusEntry = { ...ended, phase: 'Failed', conditions: { ...sandbox('False'), ...unready('main') } };
const mirror: StatusEntry = { newUid: true, phase: 'Pending' };
const withDebug = (state: string): StatusEntry => ({ ...running, ephemeral: { d: { state } } });
const restarted: StatusEntry = {
  ...running,
  containers: { main: { state: 'running', restarts: 1, last: 'terminated/Error/1', ready: true, started: true } },
};
const at = (entry: StatusEntry, seconds: number): ExpectedStatus => ({ ...entry, t: [seconds, seconds] });

interface Row {
  readonly what: string;
  readonly recorded: readonly ExpectedStatus[];
  readonly seen: readonly StatusEntry[];
}

describe('a comparison under late messages', () => {
  it.each<Row>([
    {
      what: 'allows a short-lived status to be missed',
      recorded: [at(bare, 0), at(running, 1), at(pullFailed, 3), at(failed, 3.05)],
      seen: [bare, running, failed],
    },
    {
      what: 'allows a status that the pod’s end repeats to be missed',
      recorded: [at(bare, 0), at(running, 1), at(ended, 2), at(failed, 2.6), at({ gone: true }, 3)],
      seen: [bare, running, failed, { gone: true }],
    },
    {
      what: 'allows the start of a mirror pod to be seen',
      recorded: [at(bare, 0), at(mirror, 1), at(running, 2)],
      seen: [bare, mirror, starting, running],
    },
    {
      what: 'allows a waiting ephemeral container to be seen',
      recorded: [at(bare, 0), at(running, 1), at(withDebug('running'), 2)],
      seen: [bare, running, withDebug('waiting/ContainerCreating'), withDebug('running')],
    },
  ])('$what', ({ recorded, seen }) => {
    expect(statusProblem(recorded, seen)).toBeDefined();
    expect(statusProblem(withLateMessages(recorded), seen)).toBeUndefined();
    // The recording itself still passes: nothing new became required.
    expect(statusProblem(withLateMessages(recorded), recorded)).toBeUndefined();
  });

  it.each<Row>([
    {
      what: 'a missed status that lasted a second',
      recorded: [at(bare, 0), at(running, 1), at(pullFailed, 2), at(failed, 3)],
      seen: [bare, running, failed],
    },
    {
      what: 'a missed last status',
      recorded: [at(bare, 0), at(running, 1), at(failed, 1)],
      seen: [bare, running],
    },
    {
      what: 'an end with another exit code than the status before',
      recorded: [
        at(bare, 0),
        at(ended, 1),
        at({ ...failed, containers: { main: { state: 'terminated/Error/1' } } }, 2),
      ],
      seen: [bare, { ...failed, containers: { main: { state: 'terminated/Error/1' } } }],
    },
    {
      what: 'a missed failed pull whose back-off is of another failure',
      recorded: [at(bare, 0), at(running, 1), at(pullFailed, 2), at(putOff('other'), 2.5)],
      seen: [bare, running, putOff('other')],
    },
    {
      what: 'a running pod that appears to start',
      recorded: [at(bare, 0), at(running, 1), at(pullFailed, 2)],
      seen: [bare, running, starting, pullFailed],
    },
    {
      what: 'a restarted container that appears to start for the first time',
      recorded: [at(bare, 0), at(mirror, 1), at(restarted, 2)],
      seen: [bare, mirror, starting, restarted],
    },
    {
      what: 'a waiting ephemeral container beside a waiting container',
      recorded: [at(bare, 0), at(running, 1), at(withDebug('running'), 2)],
      seen: [
        bare,
        running,
        { ...starting, ephemeral: { d: { state: 'waiting/ContainerCreating' } } },
        withDebug('running'),
      ],
    },
    {
      what: 'statuses in another order',
      recorded: [at(bare, 0), at(running, 1), at(ended, 2), at(failed, 3)],
      seen: [bare, ended, running, failed],
    },
  ])('rejects $what', ({ recorded, seen }) => {
    expect(statusProblem(withLateMessages(recorded), recorded)).toBeUndefined();
    expect(statusProblem(withLateMessages(recorded), seen)).toBeDefined();
  });
});
