import { describe, expect, it } from 'vitest';
import { statusProblem } from '../compare-statuses.ts';
import { withRealStart } from './moments-of-a-real-start.ts';
import type { ExpectedStatus, StatusEntry } from '../scenario.ts';

const waiting = (sandbox: string, more: StatusEntry['containers'] = {}): StatusEntry => ({
  phase: 'Pending',
  conditions: { PodReadyToStartContainers: sandbox, Ready: 'False' },
  containers: { main: { state: 'waiting/ContainerCreating', started: false }, ...more },
});
const bare: StatusEntry = { phase: 'Pending' };
const running: StatusEntry = {
  phase: 'Running',
  conditions: { PodReadyToStartContainers: 'True', Ready: 'True' },
  containers: { main: { state: 'running', started: true, ready: true } },
};
const recorded: readonly ExpectedStatus[] = [bare, waiting('True'), running];

describe('a start on a real runtime', () => {
  it.each<{ what: string; seen: readonly StatusEntry[]; isRight: boolean }>([
    { what: 'as recorded', seen: recorded, isRight: true },
    {
      what: 'told before its sandbox is there',
      seen: [bare, waiting('False'), waiting('True'), running],
      isRight: true,
    },
    { what: 'without the status of its ready sandbox', seen: [bare, waiting('False'), running], isRight: true },
    { what: 'losing its sandbox', seen: [bare, waiting('True'), waiting('False'), running], isRight: false },
    {
      what: 'failing before its sandbox is there',
      seen: [bare, waiting('False', { main: { state: 'waiting/CreateContainerError', started: false } }), running],
      isRight: false,
    },
    { what: 'that never runs', seen: [bare, waiting('False')], isRight: false },
    {
      what: 'with a restart',
      seen: [bare, waiting('False', { main: { state: 'waiting/ContainerCreating', restarts: 1 } }), running],
      isRight: false,
    },
  ])('$what: $isRight', ({ seen, isRight }) => {
    expect(statusProblem(withRealStart(recorded), seen) === undefined).toBe(isRight);
  });

  it('does not apply to a pod that lost its sandbox later', () => {
    const later: readonly ExpectedStatus[] = [bare, running, waiting('True'), running];
    expect(withRealStart(later)).toEqual(later);
  });
});
