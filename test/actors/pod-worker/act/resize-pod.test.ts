import { describe, expect, it } from 'vitest';
import { readActuated } from '../../../../actors/pod-worker/act/actuated-resources.ts';
import { withoutOverhead } from '../../../../actors/pod-worker/act/pod-cgroup.ts';
import { resizePod } from '../../../../actors/pod-worker/act/resize-pod.ts';
import type { CgroupValues } from '../../../../src/cgroups/cgroup-values.ts';
import { podCgroupValues } from '../../../../src/cgroups/cgroup-values.ts';
import { containerId } from '../../../../src/kube/ids.ts';
import type { Pod, ResourceRequirements } from '../../../../src/kube/pod.ts';
import { podCgroupParent } from '../../../../src/node/resources/cgroup-path.ts';
import { qosClass } from '../../../../src/pod/values/qos.ts';
import { container, pod, record, runtime } from '../../../pod/pods.ts';
import { FakeCriClient } from '../../../support/fake-cri-client.ts';
import { actions, fakeTools, node } from '../effects-support.ts';

const cpu = (requests: string): ResourceRequirements => ({ requests: { cpu: requests } });
const both = (cpus: string, memory: string): ResourceRequirements => ({
  requests: { cpu: cpus, memory },
  limits: { cpu: cpus, memory },
});
const names = ['a', 'b'] as const;
const ids = names.map((name) => containerId(`${name}-0`));

type OfBoth = readonly [ResourceRequirements, ResourceRequirements];

interface Resize {
  readonly cri?: FakeCriClient;
  readonly from?: OfBoth;
  readonly to?: OfBoth;
  /** By default that of `from`. */
  readonly cgroup?: CgroupValues | 'unreadable';
  /** What the kernel says to any change of the cgroup. */
  readonly refusal?: string;
  readonly finishes?: boolean;
}

const twoContainers = (resources: OfBoth): Pod =>
  pod({ containers: names.map((name, index) => container(name, { resources: resources[index] ?? {} })) });

/** Both containers of a pod are to get 2 CPUs instead of 1, unless said otherwise. */
async function resized({
  cri = new FakeCriClient(),
  from = [cpu('1'), cpu('1')],
  to = [cpu('2'), cpu('2')],
  cgroup = podCgroupValues(twoContainers(from), node),
  refusal,
  finishes = false,
}: Resize = {}) {
  const fakes = fakeTools(cri);
  const one = twoContainers(to);
  const path = podCgroupParent('uid-1', qosClass(one), node);
  if (cgroup !== 'unreadable') fakes.cgroups.set(path, cgroup);
  if (refusal !== undefined) fakes.cgroups.refusals.set(path, refusal);
  const attempt = fakes.attempt(one, {
    actions: actions({ containersToResize: finishes ? [] : ids, finishesResize: finishes }),
    runtime: runtime({ containers: names.map((name) => record(name)) }),
    resizing: {
      original: { a: from[0], b: from[1] },
      actuated: new Map(ids.map((id, index) => [id, from[index] ?? {}])),
    },
  });
  const result = await resizePod(attempt);
  const saved = [...(readActuated(fakes.tools, 'uid-1') ?? [])];
  /** Each call as the runtime gets it, with the container it is about. */
  const calls = cri.calls.map(({ method, request }) =>
    'containerId' in request ? `${method} ${request.containerId}` : method,
  );
  return { ...fakes, result, saved, calls, present: fakes.cgroups.values.get(path) };
}

describe('a resize of running containers', () => {
  it('reports the touched containers with their new resources, and saves the resources', async () => {
    const { result, saved } = await resized();
    const actuated = ids.map((id) => [id, cpu('2')]);
    expect(result).toEqual({
      type: 'resized',
      touched: ids.map((id) => [id, 'sandbox-0']),
      actuated,
      failure: undefined,
    });
    expect(saved).toEqual(actuated);
  });

  it('that fails half-way reports the resources of the first container, and the second as touched', async () => {
    const cri = new FakeCriClient({ UpdateContainerResources: (_, times) => (times === 1 ? undefined : 'INTERNAL') });
    const { result, saved } = await resized({ cri });
    expect(result).toEqual({
      type: 'resized',
      touched: ids.map((id) => [id, 'sandbox-0']),
      actuated: [[ids[0], cpu('2')]],
      failure: 'rpc error: code = Internal desc = it said INTERNAL',
    });
    expect(saved).toEqual([
      [ids[0], cpu('2')],
      [ids[1], cpu('1')],
    ]);
  });

  it('is no step if no resources change', async () => {
    const { attempt } = fakeTools();
    expect(await resizePod(attempt(pod()))).toBeUndefined();
  });

  it('takes from one container before it gives to another', async () => {
    const { calls } = await resized({ from: [cpu('1'), cpu('2')], to: [cpu('2'), cpu('1')] });
    expect(calls).toEqual(['UpdateContainerResources b-0', 'UpdateContainerResources a-0']);
  });
});

describe("the pod's cgroup in a resize", () => {
  const more: Resize = { from: [both('1', '100Mi'), both('1', '100Mi')], to: [both('2', '200Mi'), both('2', '200Mi')] };
  const mib = 1024n * 1024n;

  it('is reported to the runtime before each change: its present values with the one changed part', async () => {
    const { cri } = await resized(more);
    expect(cri.requests('UpdatePodSandboxResources').map(({ resources }) => resources)).toMatchObject([
      { memoryLimitInBytes: 400n * mib, cpuQuota: 200_000n, cpuShares: 2048n, cpuPeriod: 100_000n },
      { memoryLimitInBytes: 400n * mib, cpuQuota: 400_000n, cpuShares: 2048n, cpuPeriod: 100_000n },
      { memoryLimitInBytes: 400n * mib, cpuQuota: 400_000n, cpuShares: 4096n, cpuPeriod: 100_000n },
    ]);
  });

  it('is reported as it was when the kernel refuses the change', async () => {
    const { cri, result } = await resized({ ...more, refusal: 'EBUSY' });
    const told = cri.requests('UpdatePodSandboxResources').map(({ resources }) => resources?.memoryLimitInBytes);
    expect(told).toEqual([400n * mib, 200n * mib]);
    expect(result?.failure).toBe('failed to set pod cgroup config: EBUSY');
    expect(result?.refused).toBeUndefined();
  });

  it.each<{ rule: string; given: Resize; calls: readonly string[] }>([
    {
      rule: 'is left alone when it has the values already',
      given: { cgroup: podCgroupValues(twoContainers([cpu('2'), cpu('2')]), node) },
      calls: ['UpdateContainerResources a-0', 'UpdateContainerResources b-0'],
    },
    {
      rule: 'is changed when only its containers have the resources already',
      given: { finishes: true },
      calls: ['UpdatePodSandboxResources'],
    },
    {
      rule: 'needs nothing when an unfinished resize turns out to be done',
      given: { finishes: true, cgroup: podCgroupValues(twoContainers([cpu('2'), cpu('2')]), node) },
      calls: [],
    },
    {
      rule: 'that holds one part of an earlier attempt gets the other',
      given: {
        ...more,
        cgroup: { ...podCgroupValues(twoContainers(more.from ?? [{}, {}]), node), memoryLimitBytes: 400n * mib },
      },
      calls: [
        'UpdateContainerResources a-0',
        'UpdateContainerResources b-0',
        'UpdatePodSandboxResources',
        'UpdatePodSandboxResources',
        'UpdateContainerResources a-0',
        'UpdateContainerResources b-0',
      ],
    },
  ])('$rule', async ({ given, calls }) => {
    const done = await resized(given);
    expect(done.calls).toEqual(calls);
    expect(done.result?.failure).toBeUndefined();
    expect(done.present).toMatchObject(podCgroupValues(twoContainers(given.to ?? [cpu('2'), cpu('2')]), node));
  });

  it('that cannot be read refuses the resize, and nothing is changed', async () => {
    const { calls, result } = await resized({ cgroup: 'unreadable' });
    expect(calls).toEqual([]);
    expect(result).toMatchObject({
      refused: true,
      failure: expect.stringContaining('unable to get pod cgroup config'),
    });
  });

  it.each<{ rule: string; values: CgroupValues; overhead?: Readonly<Record<string, string>>; resources: object }>([
    {
      rule: 'no limits',
      values: { cpuShares: 2n },
      resources: { cpuShares: 2n, cpuQuota: 0n, memoryLimitInBytes: 0n },
    },
    {
      rule: 'no limit of CPU time',
      values: { cpuQuota: { microseconds: 'unlimited', periodMicroseconds: 100_000n } },
      resources: { cpuQuota: -1n, cpuPeriod: 100_000n },
    },
    {
      rule: 'the overhead of the sandbox is taken off',
      values: {
        cpuShares: 1126n,
        cpuQuota: { microseconds: 110_000n, periodMicroseconds: 100_000n },
        memoryLimitBytes: 110n,
      },
      overhead: { cpu: '100m', memory: '10' },
      resources: { cpuShares: 1024n, cpuQuota: 100_000n, memoryLimitInBytes: 100n },
    },
  ])('reaches the runtime in its own words: $rule', ({ values, overhead, resources }) => {
    expect(withoutOverhead(values, pod(overhead === undefined ? {} : { overhead }))).toMatchObject(resources);
  });
});
