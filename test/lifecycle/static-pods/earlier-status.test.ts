import { describe, expect, it } from 'vitest';
import { playScenario } from '../lifecycle-node.ts';
import type { Action, Scenario } from '../scenario.ts';

const POD = 'earlier-life-node';
const isReady: Action = { wait: { pod: POD, condition: 'Ready=True' } };
const down: Action = { kubelet: 'kill' };
const up: Action = { kubelet: 'start' };
/** The runtime loses all that it knew of the pod. */
const forgotten: Action = { cri: { op: 'sandbox-vanish', pod: POD } };
const marked = (status: object): Action => ({ patch: POD, body: { status }, subresource: 'status' });

function scenario(
  actions: readonly Action[],
  { restartPolicy = 'Always', run = [] }: { readonly restartPolicy?: string; readonly run?: readonly string[] } = {},
): Scenario {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'earlier', namespace: 'life' },
    spec: { restartPolicy, containers: [{ name: 'main', image: 'registry.test/app:1' }] },
  };
  return {
    name: 'earlier',
    topic: 'static',
    kubelet: { syncFrequency: '10s' },
    script: { pods: { [POD]: { containers: { main: run.length === 0 ? {} : { run } } } } },
    static: { 'earlier.yaml': pod },
    actions,
    expected: { status: {}, calls: {}, events: {} },
  };
}

async function played(scenario: Scenario) {
  const { calls, objects, problems } = await playScenario(scenario);
  expect(problems).toEqual([]);
  const { entries } = objects.history(POD);
  return {
    entries,
    last: entries.at(-1),
    starts: calls.filter(({ text }) => text.startsWith('StartContainer ')).length,
    stops: calls.filter(({ text }) => text.startsWith('StopContainer ')).length,
  };
}

describe('a static pod after a start of the agent', () => {
  it('goes on from the restart count and the last state of its mirror pod', async () => {
    const restarted: Action = { wait: { pod: POD, call: 'StartContainer', n: 2 } };
    const started: Action = { wait: { pod: POD, call: 'StartContainer', n: 3 } };
    const { entries, last } = await played(
      scenario([restarted, isReady, { sleep: 500 }, down, forgotten, up, started, { sleep: 3_000 }], {
        run: ['3@1s'],
      }),
    );
    const counts = entries.map(({ containers }) => containers?.['main']?.restarts ?? 0);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(last?.containers?.['main']).toMatchObject({ state: 'running', ready: true, last: 'terminated/Error/3' });
    expect(counts.at(-1)).toBeGreaterThanOrEqual(2);
  });

  it('does not run again if it has succeeded, even if the runtime knows nothing of it', async () => {
    const { last, starts } = await played(
      scenario([{ wait: { pod: POD, phase: 'Succeeded' } }, { sleep: 500 }, down, forgotten, up, { sleep: 20_000 }], {
        restartPolicy: 'Never',
        run: ['0@1s'],
      }),
    );
    expect([last?.phase, starts]).toEqual(['Succeeded', 1]);
  });

  it.each([
    { what: 'its node ended it', status: { phase: 'Failed', reason: 'Terminated' } },
    { what: 'its node had rejected it', status: { phase: 'Failed', reason: 'OutOfcpu' } },
    { what: 'another client gave it up with its node', status: { phase: 'Failed' } },
  ])('has a new mirror pod, and runs on, if the old one says that $what', async ({ status }) => {
    const { entries, last, starts, stops } = await played(
      scenario([isReady, { sleep: 500 }, down, marked(status), up, { sleep: 20_000 }]),
    );
    expect(entries.some(({ newUid }) => newUid === true)).toBe(true);
    expect(last).toMatchObject({ phase: 'Running', conditions: { Ready: 'True' } });
    expect([starts, stops]).toEqual([1, 0]);
  });
});
