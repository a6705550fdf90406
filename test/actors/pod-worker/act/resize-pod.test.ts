import { describe, expect, it } from 'vitest';
import { readActuated } from '../../../../actors/pod-worker/act/actuated-resources.ts';
import { resizePod } from '../../../../actors/pod-worker/act/resize-pod.ts';
import { containerId } from '../../../../src/kube/ids.ts';
import type { ResourceRequirements } from '../../../../src/kube/pod.ts';
import { container, pod, record, runtime } from '../../../pod/pods.ts';
import { FakeCriClient } from '../../../support/fake-cri-client.ts';
import { actions, fakeTools } from '../effects-support.ts';

const cpu = (requests: string): ResourceRequirements => ({ requests: { cpu: requests } });
const names = ['a', 'b'] as const;
const ids = names.map((name) => containerId(`${name}-0`));

/** Actions that give both containers of a pod 2 CPUs instead of 1. */
async function resized(cri: FakeCriClient, original: Readonly<Record<string, ResourceRequirements>> | undefined) {
  const fakes = fakeTools(cri);
  const one = pod({ containers: names.map((name) => container(name, { resources: cpu('2') })) });
  const holds = runtime({ containers: names.map((name) => record(name)) });
  const attempt = fakes.attempt(one, {
    actions: actions({ containersToResize: ids }),
    runtime: holds,
    resizing: { original, actuated: new Map(ids.map((id) => [id, cpu('1')])) },
  });
  const result = await resizePod(attempt);
  return { ...fakes, result, saved: [...(readActuated(fakes.tools, 'uid-1') ?? [])] };
}

const first = { a: cpu('1'), b: cpu('1') };

describe('a resize of running containers', () => {
  it('reports the touched containers with their new resources, and saves the resources', async () => {
    const { result, saved } = await resized(new FakeCriClient(), first);
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
    const { result, saved } = await resized(cri, first);
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
});
