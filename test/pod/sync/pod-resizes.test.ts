import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/kube/pod.ts';
import {
  asksForOther,
  changedResources,
  resizeMessage,
  resizeVerdict,
  resourcesInStatus,
  resourcesOf,
  withResources,
} from '../../../src/pod/sync/pod-resizes.ts';
import { container, pod } from '../pods.ts';

const cpu = (amount: string) => ({ requests: { cpu: amount } });
const having = (amount: string, parts: Partial<Container> = {}) =>
  container('main', { resources: cpu(amount), ...parts });

describe('resources that differ', () => {
  it.each([
    { what: 'not by spelling', one: cpu('1'), other: cpu('1000m'), changed: [] },
    { what: 'a request', one: cpu('1'), other: cpu('2'), changed: ['cpu'] },
    { what: 'a limit', one: { limits: { memory: '1Gi' } }, other: { limits: { memory: '2Gi' } }, changed: ['memory'] },
    { what: 'a new resource', one: {}, other: { limits: { memory: '1Gi' } }, changed: ['memory'] },
    { what: 'only cpu and memory', one: {}, other: { limits: { 'example.com/gpu': '1' } }, changed: [] },
    { what: 'against nothing known', one: undefined, other: cpu('1'), changed: ['cpu'] },
  ])('$what', ({ one, other, changed }) => {
    expect(changedResources(one, other)).toEqual(changed);
  });
});

describe('a container with new allocated resources', () => {
  const restartsForMemory = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
  it.each([
    { rule: 'stays unchanged with the same resources', has: cpu('1'), policy: [], verdict: 'none' },
    { rule: 'keeps running', has: cpu('2'), policy: [], verdict: 'in-place' },
    {
      rule: 'keeps running, if its restart policy names another resource',
      has: cpu('2'),
      policy: restartsForMemory,
      verdict: 'in-place',
    },
    {
      rule: 'is restarted, if the policy of a changed resource requires it',
      has: { requests: { cpu: '2', memory: '1Gi' } },
      policy: restartsForMemory,
      verdict: 'restart',
    },
  ])('$rule', ({ has, policy, verdict }) => {
    expect(resizeVerdict(having('1', { resizePolicy: policy }), has)).toBe(verdict);
  });
});

describe("a pod's resources", () => {
  const ordinary = container('setup', { resources: cpu('4') });
  const sidecar = container('side', { restartPolicy: 'Always', resources: cpu('1') });
  const one = pod({ containers: [having('1')], initContainers: [ordinary, sidecar] });

  it('cover regular containers and sidecars', () => {
    expect(resourcesOf(one)).toEqual({ main: cpu('1'), side: cpu('1') });
  });

  it("are set in the pod's existing containers", () => {
    const given = withResources(one, { main: cpu('2'), side: cpu('3'), setup: cpu('9'), other: cpu('9') });
    expect(given.spec.containers[0]?.resources).toEqual(cpu('2'));
    expect(given.spec.initContainers?.map(({ resources }) => resources)).toEqual([cpu('4'), cpu('3')]);
    expect([asksForOther(one, resourcesOf(given)), asksForOther(given, resourcesOf(given))]).toEqual([true, false]);
  });

  it('are those of its status, if it was resized by an earlier agent', () => {
    const shown = { name: 'main', ready: true, restartCount: 0, image: '', imageID: '' };
    const status = { containerStatuses: [{ ...shown, resources: cpu('500m'), allocatedResources: { cpu: '600m' } }] };
    expect(resourcesInStatus({ ...one, status })).toEqual({ main: cpu('600m'), side: cpu('1') });
  });

  it('are written in events as JSON', () => {
    const resized = { ...one, metadata: { ...one.metadata, generation: 2 } };
    expect(resizeMessage('started', resized)).toBe(
      'Pod resize started: {"initContainers":[{"name":"side","resources":{"requests":{"cpu":"1"}}}],' +
        '"containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}],"generation":2}',
    );
    expect(resizeMessage('error', resized, 'no')).toMatch(/"generation":2,"error":"no"\}$/);
  });
});
