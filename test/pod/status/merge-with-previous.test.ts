import { describe, expect, it } from 'vitest';

import type { PodStatus } from '../../../src/kube/pod.ts';
import { apiTime } from '../../../src/pod/values/api-time.ts';
import { mergeStatus } from '../../../src/pod/status/merge-with-previous.ts';
import type { PodParts } from '../pods.ts';
import { NOW, container, pod, sidecar } from '../pods.ts';
import { ended, running, statusOf, terminated, waiting } from '../statuses.ts';

const LATER = NOW + 60_000;
const merge = (parts: PodParts, cached: PodStatus | undefined, next: PodStatus) =>
  mergeStatus({ pod: pod(parts), cached, next, now: LATER });

describe('a status that revokes the end of a container', () => {
  const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [42] } } as const;
  const all = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } } as const;
  const ruled = (action: typeof rule | typeof all) => [
    container('main', { restartPolicy: 'Never', restartPolicyRules: [action] }),
  ];
  it.each<{ given: string; pod: PodParts; code: number; takes: string }>([
    { given: 'Always', pod: {}, code: 0, takes: 'changed' },
    { given: 'OnFailure, failed', pod: { restartPolicy: 'OnFailure' }, code: 1, takes: 'changed' },
    { given: 'OnFailure, succeeded', pod: { restartPolicy: 'OnFailure' }, code: 0, takes: 'rejected' },
    { given: 'Never', pod: { restartPolicy: 'Never' }, code: 1, takes: 'rejected' },
    {
      given: 'a rule for the code',
      pod: { restartPolicy: 'Never', containers: ruled(rule) },
      code: 42,
      takes: 'changed',
    },
    {
      given: 'a rule for another code',
      pod: { restartPolicy: 'Never', containers: ruled(rule) },
      code: 41,
      takes: 'rejected',
    },
    {
      given: 'a pod whose containers may all restart',
      pod: { restartPolicy: 'Never', containers: ruled(all) },
      code: 1,
      takes: 'changed',
    },
  ])('is $takes under $given', ({ pod: parts, code, takes }) => {
    const cached = { containerStatuses: [terminated('main', code)] };
    expect(merge(parts, cached, { containerStatuses: [running('main')] }).type).toBe(takes);
  });

  it.each([
    { kind: 'an init container', init: container('i'), takes: 'rejected' },
    { kind: 'a sidecar', init: sidecar('i'), takes: 'changed' },
  ])('is $takes for $kind under Never', ({ init, takes }) => {
    const parts: PodParts = { restartPolicy: 'Never', initContainers: [init] };
    const next = { initContainerStatuses: [waiting('i')] };
    expect(merge(parts, { initContainerStatuses: [terminated('i', 0)] }, next).type).toBe(takes);
  });

  it('is compared with the API when nothing is cached', () => {
    const parts: PodParts = { restartPolicy: 'Never', status: { containerStatuses: [terminated('main', 0)] } };
    expect(merge(parts, undefined, { containerStatuses: [waiting('main')] }).type).toBe('rejected');
  });
});

describe('a condition', () => {
  const old: PodStatus = {
    conditions: [{ type: 'Ready', status: 'False', reason: 'A', lastTransitionTime: apiTime(NOW) }],
  };
  const timeAfter = (status: 'True' | 'False', reason: string) =>
    merge({}, old, { conditions: [{ type: 'Ready', status, reason }] }).type !== 'rejected' &&
    mergeStatus({ pod: pod(), cached: old, next: { conditions: [{ type: 'Ready', status, reason }] }, now: LATER });

  it.each([
    { rule: 'keeps its time while its status stays', status: 'False', reason: 'B', time: apiTime(NOW) },
    { rule: 'gets a new time with a new status', status: 'True', reason: 'A', time: apiTime(LATER) },
  ] as const)('$rule', ({ status, reason, time }) => {
    expect(timeAfter(status, reason)).toMatchObject({ status: { conditions: [{ lastTransitionTime: time }] } });
  });

  it('of another client keeps its time', () => {
    const next = { conditions: [{ type: 'x/gate', status: 'True', lastTransitionTime: apiTime(5000) }] } as const;
    expect(merge({}, {}, next)).toMatchObject({ status: { conditions: [{ lastTransitionTime: apiTime(5000) }] } });
  });
});

describe('a new status', () => {
  it('gets the start time of the first status, and keeps it', () => {
    const first = merge({}, undefined, { phase: 'Pending' });
    expect(first).toMatchObject({ type: 'changed', status: { startTime: apiTime(LATER) } });
    const kept = merge({}, { startTime: apiTime(NOW) }, { phase: 'Running' });
    expect(kept).toMatchObject({ status: { startTime: apiTime(NOW) } });
  });

  it('never goes back to an older generation', () => {
    const merged = merge({}, { observedGeneration: 5 }, { observedGeneration: 4, phase: 'Running' });
    expect(merged).toMatchObject({ status: { observedGeneration: 5 } });
  });

  it("has each message cut to the container's share, between characters", () => {
    const long = 'é'.repeat(10_000);
    const state = { terminated: { exitCode: 1, message: long } };
    const parts = { containers: [container('a'), container('b')] };
    const merged = merge(parts, {}, { containerStatuses: [statusOf('a', { state }), statusOf('b')] });
    expect(merged).toMatchObject({
      status: { containerStatuses: [{ state: { terminated: { message: 'é'.repeat(3072) } } }, {}] },
    });
  });
});

describe('an unchanged status', () => {
  const next = (): PodStatus => ({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [running('main', { lastState: ended(1), resources: { limits: { cpu: '1' } } })],
    podIPs: [{ ip: '10.0.0.7' }],
  });
  const cachedStatus = (): PodStatus => {
    const merged = merge({}, undefined, next());
    return merged.type === 'rejected' ? {} : merged.status;
  };

  it('is the cached object', () => {
    const cached = cachedStatus();
    expect(merge({}, cached, next())).toEqual({ type: 'unchanged', status: cached });
    expect(merge({}, cached, next())).toHaveProperty('status', cached);
  });

  it('is still written when forced', () => {
    const merged = mergeStatus({ pod: pod(), cached: cachedStatus(), next: next(), now: LATER, forced: true });
    expect(merged.type).toBe('changed');
  });

  it.each<{ what: string; part: Partial<PodStatus>; takes: string }>([
    {
      what: 'a condition of others',
      part: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'x/y', status: 'True' },
        ],
      },
      takes: 'unchanged',
    },
    {
      what: 'a condition of ours',
      part: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'Initialized', status: 'True' },
        ],
      },
      takes: 'changed',
    },
    {
      what: "a condition's message",
      part: { conditions: [{ type: 'Ready', status: 'True', message: 'm' }] },
      takes: 'changed',
    },
    { what: 'a restart', part: { containerStatuses: [running('main', { restartCount: 1 })] }, takes: 'changed' },
    { what: 'an address', part: { podIPs: [{ ip: '10.0.0.8' }] }, takes: 'changed' },
    { what: 'the phase', part: { phase: 'Failed' }, takes: 'changed' },
  ])('is $takes by $what', ({ part, takes }) => {
    expect(merge({}, cachedStatus(), { ...next(), ...part }).type).toBe(takes);
  });
});
