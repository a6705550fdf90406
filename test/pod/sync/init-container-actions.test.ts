import { describe, expect, it } from 'vitest';

import type { RestartPolicy } from '../../../src/kube/pod.ts';
import { initContainerActions } from '../../../src/pod/sync/init-container-actions.ts';
import type { PodObservation } from '../../../src/pod/sync/pod-observation.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import { container, exited, pod, record, runtime, sidecar, verdicts } from '../pods.ts';

interface Case {
  readonly rule: string;
  readonly init: readonly ReturnType<typeof container>[];
  readonly policy?: RestartPolicy;
  readonly held?: readonly RuntimeContainer[];
  readonly probes?: PodObservation['probes'];
  readonly does: Readonly<Record<string, unknown>>;
}

function itDoes(cases: readonly Case[]): void {
  it.each(cases)('$rule', ({ init, policy, held = [], probes, does }) => {
    const observed = {
      pod: pod({ initContainers: init, ...(policy && { restartPolicy: policy }) }),
      status: runtime({ containers: held }),
      ...(probes && { probes }),
    };
    const quiet = { initialised: false, killPod: false, start: [], kill: [] };
    expect(initContainerActions(observed)).toMatchObject({ ...quiet, ...does });
  });
}

const i1 = container('i1');
const i2 = container('i2');
const s1 = sidecar('s1');
const s2 = sidecar('s2');
const named = (name: string, reason: string) => [expect.objectContaining({ name, reason })];

describe('ordinary init containers', () => {
  itDoes([
    { rule: 'are complete when there are none', init: [], does: { initialised: true } },
    { rule: 'begin with the first', init: [i1, i2], does: { start: [0] } },
    { rule: 'are awaited while running', init: [i1, i2], held: [record('i1')], does: {} },
    {
      rule: 'are started again when only created',
      init: [i1, i2],
      held: [record('i1', 'created')],
      does: { start: [0] },
    },
    { rule: 'are followed by the next on success', init: [i1, i2], held: [exited('i1', 0)], does: { start: [1] } },
    {
      rule: 'are done when the last succeeded, even if the records of others were removed',
      init: [i1, i2],
      held: [exited('i2', 0)],
      does: { initialised: true },
    },
    { rule: 'are tried again after a failure', init: [i1, i2], held: [exited('i1', 1)], does: { start: [0] } },
    {
      rule: 'end the pod when they fail under Never',
      init: [i1, i2],
      policy: 'Never',
      held: [exited('i1', 1)],
      does: { killPod: true },
    },
    {
      rule: 'have failed when out of memory, whatever the code',
      init: [i1],
      policy: 'Never',
      held: [exited('i1', 0, { reason: 'OOMKilled' })],
      does: { killPod: true },
    },
    {
      rule: 'are tried again when out of memory with code 0',
      init: [i1],
      policy: 'OnFailure',
      held: [exited('i1', 0, { reason: 'OOMKilled' })],
      does: { start: [0] },
    },
    {
      rule: 'are killed and started again when unknown',
      init: [i1],
      held: [record('i1', 'unknown')],
      does: { start: [0], kill: named('i1', 'unknown-state') },
    },
    {
      rule: 'end the pod when unknown under Never',
      init: [i1],
      policy: 'Never',
      held: [record('i1', 'unknown')],
      does: { killPod: true },
    },
    {
      rule: 'count as done while a regular container runs',
      init: [i1, i2],
      held: [record('main')],
      does: { initialised: true },
    },
    {
      rule: 'count as done while a regular container is created',
      init: [i1],
      held: [record('main', 'created'), exited('i1', 1)],
      does: { initialised: true },
    },
    {
      rule: 'run again when regular containers have only exited: these may be of an older sandbox',
      init: [i1],
      held: [exited('main', 0)],
      does: { start: [0] },
    },
  ]);
});

describe('sidecars', () => {
  const probed = sidecar('s1', { startupProbe: {}, livenessProbe: {} });
  itDoes([
    { rule: 'let the next start once they run', init: [s1, i2], held: [record('s1')], does: { start: [1] } },
    {
      rule: 'complete the initialisation when the last one runs',
      init: [i1, s2],
      held: [exited('i1', 0), record('s2')],
      does: { initialised: true },
    },
    {
      rule: 'hold up the next until their startup probe has a result',
      init: [probed, i2],
      held: [record('s1')],
      does: {},
    },
    {
      rule: 'hold up the next while the startup probe is undecided',
      init: [probed, i2],
      held: [record('s1')],
      probes: verdicts({ startup: { 's1-0': 'unknown' } }),
      does: {},
    },
    {
      rule: 'are restarted when the startup probe fails',
      init: [probed, i2],
      held: [record('s1')],
      probes: verdicts({ startup: { 's1-0': 'failure' } }),
      does: { start: [0], kill: named('s1', 'startup-probe') },
    },
    {
      rule: 'let the next start when the startup probe succeeds',
      init: [probed, i2],
      held: [record('s1')],
      probes: verdicts({ startup: { 's1-0': 'success' } }),
      does: { start: [1] },
    },
    {
      rule: 'are restarted when the liveness probe fails, without holding up the next',
      init: [probed, i2],
      held: [record('s1')],
      probes: verdicts({ startup: { 's1-0': 'success' }, liveness: { 's1-0': 'failure' } }),
      does: { start: [0, 1], kill: named('s1', 'liveness-probe') },
    },
    {
      rule: 'are restarted when their definition changed',
      init: [s1],
      held: [record('s1', 'running', { hash: 'old' })],
      does: { initialised: true, start: [0], kill: named('s1', 'definition-changed') },
    },
    { rule: 'are started again when only created', init: [s1], held: [record('s1', 'created')], does: { start: [0] } },
    {
      rule: 'are started again when they exit, even under Never',
      init: [s1],
      policy: 'Never',
      held: [exited('s1', 0)],
      does: { start: [0] },
    },
    {
      rule: 'are killed and started again when unknown',
      init: [s1],
      policy: 'Never',
      held: [record('s1', 'unknown')],
      does: { start: [0], kill: named('s1', 'unknown-state') },
    },
    {
      rule: 'are restarted while later init containers run',
      init: [s1, i2],
      held: [exited('s1', 1), record('i2')],
      does: { start: [0] },
    },
    {
      rule: 'are restarted once the pod is initialized, with or without a record',
      init: [s1, i1, s2],
      held: [record('main'), exited('s2', 1)],
      does: { initialised: true, start: [0, 2] },
    },
  ]);
});
