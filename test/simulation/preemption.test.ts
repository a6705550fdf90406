import { array, assert, asyncProperty, constantFrom, integer, option, record, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/agent/settings.ts';
import { playScenario } from '../lifecycle/lifecycle-node.ts';
import type { Played } from '../lifecycle/judge-scenario.ts';
import type { Action, ApiObject, Scenario } from '../lifecycle/scenario.ts';

/** The capacity of the simulated node. */
const NODE_MILLI_CPU = 2_000;
const CRITICAL = 'critical';

interface Ordinary {
  readonly milliCpu: number;
  /** The behaviour of its container when it is stopped. */
  readonly stop: 'soon' | 'late' | 'never';
  readonly graceSeconds: number;
}

interface Plan {
  readonly profile: Profile;
  readonly ordinary: readonly Ordinary[];
  readonly criticalMilliCpu: number;
  /** The instant of the agent's death after the critical pod arrived, and its outage. Milliseconds. */
  readonly death: { readonly afterMs: number; readonly awayMs: number } | undefined;
}

const plans: Arbitrary<Plan> = record({
  profile: constantFrom('standard', 'compact'),
  ordinary: array(
    record({
      milliCpu: integer({ min: 1, max: 9 }).map((tenths) => tenths * 100),
      stop: constantFrom('soon', 'late', 'never'),
      graceSeconds: integer({ min: 2, max: 4 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  criticalMilliCpu: integer({ min: 1, max: 22 }).map((tenths) => tenths * 100),
  death: option(record({ afterMs: integer({ min: 0, max: 3_000 }), awayMs: integer({ min: 10, max: 4_000 }) }), {
    nil: undefined,
  }),
});

const nameOf = (index: number): string => `pod-${index}`;

function podObject(name: string, milliCpu: number, more: object): ApiObject {
  const requests = { cpu: `${milliCpu}m` };
  const containers = [{ name: 'c', image: 'registry.test/app:1', resources: { requests } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'life' },
    spec: { nodeName: 'life-node', containers, ...more },
  } as ApiObject;
}

const STOPS = { soon: '0@50ms', late: '0@1500ms', never: 'ignore' };

function scenarioOf({ ordinary, criticalMilliCpu, death }: Plan): Scenario {
  const pods = ordinary.map(({ milliCpu, graceSeconds }, index) =>
    podObject(nameOf(index), milliCpu, { terminationGracePeriodSeconds: graceSeconds }),
  );
  const critical = podObject(CRITICAL, criticalMilliCpu, {
    priorityClassName: 'system-cluster-critical',
  });
  const dies: readonly Action[] =
    death === undefined
      ? []
      : [{ sleep: death.afterMs }, { kubelet: 'kill' }, { sleep: death.awayMs }, { kubelet: 'start' }];
  return {
    name: 'preemption',
    topic: '',
    kubelet: { syncFrequency: '10s' },
    manifest: pods,
    script: {
      pods: Object.fromEntries(
        ordinary.map(({ stop }, index) => [nameOf(index), { containers: { c: { stop: STOPS[stop] } } }]),
      ),
    },
    actions: [{ sleep: 2_000 }, { create: critical }, ...dies, { sleep: 12_000 }],
    expected: { status: {}, calls: {}, events: {} },
  };
}

/** The pods that are admitted at the start: in order of arrival, each that fits. */
function admitted({ ordinary }: Plan): ReadonlySet<string> {
  const names = new Set<string>();
  let used = 0;
  for (const [index, { milliCpu }] of ordinary.entries()) {
    if (used + milliCpu > NODE_MILLI_CPU) continue;
    used += milliCpu;
    names.add(nameOf(index));
  }
  return names;
}

const milliCpuOf = ({ ordinary, criticalMilliCpu }: Plan, name: string): number =>
  name === CRITICAL ? criticalMilliCpu : (ordinary[Number(name.replace('pod-', ''))]?.milliCpu ?? 0);

/** The peak of the requests of pods, each from the start of its container until its sandbox stopped. */
function mostPromised(plan: Plan, { calls }: Played): number {
  const running = new Set<string>();
  let most = 0;
  for (const { method, pod, ended } of calls.toSorted((a, b) => (a.ended ?? a.began) - (b.ended ?? b.began))) {
    if (ended === undefined) continue;
    if (method === 'StartContainer') running.add(pod);
    if (method === 'StopPodSandbox') running.delete(pod);
    most = Math.max(
      most,
      [...running].reduce((sum, name) => sum + milliCpuOf(plan, name), 0),
    );
  }
  return most;
}

/** Returns the problems at the end. */
function* wrongIn(plan: Plan, played: Played): Generator<string> {
  yield* played.problems;
  const statusOf = (name: string) => played.objects.history(name).newest?.status;
  const had = [...admitted(plan)];
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + milliCpuOf(plan, name), 0);
  const ended = had.filter((name) => statusOf(name)?.phase === 'Failed');
  const left = sum(had) - sum(ended) + plan.criticalMilliCpu;
  const canCome = plan.criticalMilliCpu <= NODE_MILLI_CPU;
  if (statusOf(CRITICAL)?.phase !== (canCome ? 'Running' : 'Failed')) yield `critical is ${statusOf(CRITICAL)?.phase}`;
  if (!canCome && ended.length > 0) yield `${ended.join()} ended for a pod that cannot come`;
  if (canCome && left > NODE_MILLI_CPU) yield 'more has a place than there is';
  for (const name of canCome ? ended : [])
    if (left + milliCpuOf(plan, name) <= NODE_MILLI_CPU) yield `${name} ended for nothing`;
  for (const name of ended)
    if (statusOf(name)?.reason !== 'Preempting') yield `${name} ended as ${statusOf(name)?.reason}`;
  for (const name of had)
    if (!ended.includes(name) && statusOf(name)?.phase !== 'Running') yield `${name} is ${statusOf(name)?.phase}`;
  if (mostPromised(plan, played) > NODE_MILLI_CPU) yield 'more ran at once than there is';
}

describe('critical pods on a full node', () => {
  it('preempt as many pods as necessary, and no more, under any faults of the agent', async () => {
    const run = asyncProperty(plans, async (plan) => {
      expect([...wrongIn(plan, await playScenario(scenarioOf(plan), { profile: plan.profile }))]).toEqual([]);
    });
    await assert(run, { numRuns: 8, seed: 7 });
  });
});
