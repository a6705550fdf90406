import { describe, expect, it } from 'vitest';
import {
  begin,
  cgroupSet,
  decide,
  initialContainerManager,
  type ContainerManagerEffect,
  type ContainerManagerSettings,
  type ContainerManagerState,
} from '../../../actors/container-manager/state.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { pod } from '../../pod/pods.ts';
import { node } from '../pod-worker/effects-support.ts';

const settings: ContainerManagerSettings = {
  node: { ...node, hugePageSizes: [] },
  podsAmounts: { cpu: '2', memory: '1Gi' },
  enforcesPods: true,
};

const burstable = (uid: string, cpu: string, phase?: string): Pod => {
  const base = pod();
  return {
    ...base,
    metadata: { ...base.metadata, uid },
    spec: { ...base.spec, containers: [{ name: 'a', image: 'app', resources: { requests: { cpu } } }] },
    ...(phase === undefined ? {} : { status: { phase } }),
  } as Pod;
};

const reportWeight = (uid: string, burstableMilliCpu: bigint) =>
  ({ type: 'pod-cgroup-changed', podUid: podUid(uid), burstableMilliCpu }) as const;
const shares = (effects: readonly ContainerManagerEffect[], what: string) =>
  effects.flatMap((effect) =>
    effect.type === 'set-cgroup' && effect.what === what ? [[effect.path, effect.values.cpuShares]] : [],
  );
const run = (state: ContainerManagerState, ...commands: readonly Parameters<typeof decide>[1][]) => {
  let next = state;
  const effects: ContainerManagerEffect[] = [];
  for (const command of commands) {
    const decision = decide(next, command, settings);
    next = decision.next;
    effects.push(...decision.effects);
  }
  return { next, effects };
};
const surveyed = (pods: readonly Pod[], cgroups: readonly string[] = []) =>
  ({ type: 'pods-surveyed', pods, cgroups }) as const;

describe('the container manager', () => {
  it('creates the cgroup tree at its start, and asks for the pods', () => {
    const { effects } = begin(initialContainerManager(), settings);
    expect(shares(effects, 'all-pods')).toEqual([['/kubepods', 2048n]]);
    expect(shares(effects, 'burstable')).toEqual([['/kubepods/burstable', 2n]]);
    expect(shares(effects, 'besteffort')).toEqual([['/kubepods/besteffort', 2n]]);
    expect(effects.at(-1)).toEqual({ type: 'survey' });
  });

  it('protects memory of the known pods from the first survey on, and releases it with them', () => {
    const reserving = { ...settings, node: { ...settings.node, memoryQos: { throttlingFactor: 0.9, reserves: true } } };
    const asking = (uid: string, limits?: object): Pod => {
      const requests = { cpu: '1', memory: '1Mi' };
      const one = { name: 'a', image: 'app', resources: { requests, ...(limits && { limits: requests }) } };
      const base = burstable(uid, '1');
      return { ...base, spec: { ...base.spec, containers: [one] } };
    };
    const kept = (effects: readonly ContainerManagerEffect[]) =>
      effects.flatMap((effect) =>
        effect.type === 'set-cgroup' ? [effect.values.memoryMinBytes ?? effect.values.memoryLowBytes] : [],
      );
    const start = begin(initialContainerManager(), reserving);
    expect(kept(start.effects)).toEqual([undefined, undefined, undefined]);
    const some = decide(start.next, surveyed([asking('g', {}), asking('b')]), reserving);
    expect(kept(some.effects)).toEqual([2n << 20n, 1n << 20n, undefined]);
    expect(kept(decide(some.next, surveyed([]), reserving).effects)).toEqual([0n, 0n, undefined]);
  });

  it('limits lower QoS classes to the resources not reserved for higher ones', () => {
    const reserving = { ...settings, memoryReservedPercent: 50 };
    const asking = (uid: string, memory: string, limited: boolean): Pod => {
      const requests = { cpu: '1', memory };
      const one = { name: 'a', image: 'app', resources: { requests, ...(limited && { limits: requests }) } };
      const base = burstable(uid, '1');
      return { ...base, spec: { ...base.spec, containers: [one] } };
    };
    const limits = (effects: readonly ContainerManagerEffect[]) =>
      effects.flatMap((effect) =>
        effect.type === 'set-cgroup' && effect.what !== 'all-pods' ? [effect.values.memoryLimitBytes] : [],
      );
    const start = begin(initialContainerManager(), reserving);
    expect(limits(start.effects)).toEqual([undefined, undefined]);
    const pods = [asking('g', '512Mi', true), asking('b', '256Mi', false)];
    const { effects } = decide(start.next, surveyed(pods), reserving);
    // Of 1024 MiB: without half of 512, and without half of 256 beside that.
    expect(limits(effects)).toEqual([768n << 20n, 640n << 20n]);
    expect(limits(decide(start.next, surveyed(pods), settings).effects)).toEqual([undefined, undefined]);
  });

  it('updates the weights once for many starts', () => {
    const { next, effects } = run(initialContainerManager(), reportWeight('a', 500n), reportWeight('b', 1_500n));
    expect(effects).toEqual([{ type: 'wake', command: 'cpu-weights-due', afterMs: 200 }]);
    expect(shares(run(next, { type: 'cpu-weights-due' }).effects, 'burstable')).toEqual([
      ['/kubepods/burstable', 2048n],
    ]);
  });

  it.each([
    { rule: 'a removed pod has no weight', next: [reportWeight('a', 0n)], total: 0n },
    { rule: 'a repeated pod keeps its weight', next: [reportWeight('a', 500n)], total: 500n },
    { rule: 'the latest weight of a pod counts', next: [reportWeight('a', 700n)], total: 700n },
    { rule: 'the removal of an unknown pod changes nothing', next: [reportWeight('x', 0n)], total: 500n },
  ])('$rule', ({ next, total }) => {
    expect(run(initialContainerManager(), reportWeight('a', 500n), ...next).next.totalMilliCpu).toBe(total);
  });

  it('writes nothing when the weight is unchanged', () => {
    const { next } = run(initialContainerManager(), reportWeight('a', 500n));
    const set = cgroupSet(next, 'burstable', undefined);
    expect(run(set, reportWeight('b', 100n), reportWeight('b', 0n), { type: 'cpu-weights-due' }).effects).toEqual([]);
    expect(run(cgroupSet(next, 'burstable', 'refused'), { type: 'cpu-weights-due' }).effects).not.toEqual([]);
  });

  it('a survey corrects lost reports: ended pods and pods of other classes do not count', () => {
    const { next, effects } = run(
      initialContainerManager(),
      reportWeight('gone', 4_000n),
      { type: 'survey-due' },
      surveyed([burstable('a', '1'), burstable('b', '1', 'Failed'), pod()]),
    );
    expect(next.totalMilliCpu).toBe(1_000n);
    expect(shares(effects, 'burstable')).toEqual([['/kubepods/burstable', 1024n]]);
    expect(effects.at(-1)).toEqual({ type: 'wake', command: 'survey-due', afterMs: 5_000 });
    expect(run(next, surveyed([])).effects.at(-1)).toEqual({ type: 'wake', command: 'survey-due', afterMs: 60_000 });
  });

  it('a report during a survey overrides the survey’s answer', () => {
    const asked = run(initialContainerManager(), reportWeight('a', 100n), { type: 'survey-due' }).next;
    const { next } = run(
      asked,
      reportWeight('b', 300n),
      reportWeight('c', 0n),
      surveyed([burstable('a', '100m'), burstable('c', '1')]),
    );
    expect([...next.burstable]).toEqual([
      ['a', 100n],
      ['b', 300n],
    ]);
    expect(next.totalMilliCpu).toBe(400n);
  });

  it('at most a hundred orphaned cgroups are removed at a time', () => {
    const found = Array.from({ length: 250 }, (_, index) => `/kubepods/pod${index}`);
    const { next } = run(initialContainerManager(), surveyed([], found));
    expect(run(next, surveyed([], found)).effects.filter(({ type }) => type === 'remove-stray')).toHaveLength(100);
  });

  it('an unanswered survey changes nothing, and is repeated', () => {
    const known = run(initialContainerManager(), reportWeight('a', 500n)).next;
    const { next, effects } = decide(
      known,
      { type: 'pods-surveyed', pods: undefined, cgroups: ['/kubepods/podx'] },
      settings,
    );
    expect(next).toEqual(known);
    expect(effects).toEqual([{ type: 'wake', command: 'survey-due', afterMs: 5_000 }]);
  });

  it('orphaned cgroups are removed at the second survey without their pod', () => {
    const pods = [burstable('a', '1')];
    const found = ['/kubepods/burstable/poda', '/kubepods/burstable/podb', '/kubepods/podc'];
    const first = run(initialContainerManager(), surveyed(pods, found));
    expect(first.effects.filter(({ type }) => type === 'remove-stray')).toEqual([]);
    const second = run(first.next, surveyed([...pods, burstable('c', '1')], found));
    expect(second.effects.filter(({ type }) => type === 'remove-stray')).toEqual([
      { type: 'remove-stray', path: '/kubepods/burstable/podb' },
    ]);
  });

  it('limits that the kernel refused are retried every minute, accepted limits are not', () => {
    const refused = cgroupSet(initialContainerManager(), 'all-pods', 'EBUSY');
    expect(shares(run(refused, { type: 'survey-due' }).effects, 'all-pods')).toHaveLength(1);
    const set = cgroupSet(initialContainerManager(), 'all-pods', undefined);
    expect(shares(run(set, { type: 'survey-due' }).effects, 'all-pods')).toEqual([]);
  });
});
