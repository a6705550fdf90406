import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { untilPod, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';

const withContainer = (name: string, fields: object) => {
  const { spec, ...manifest } = podManifest(name);
  return { ...manifest, spec: { ...spec, containers: spec.containers.map((each) => ({ ...each, ...fields })) } };
};
const PORT = { ports: [{ containerPort: 8080, hostPort: 18_080, protocol: 'TCP' }] };

describeOnRuntimes('a static pod of a node without an API server', ['embedded'], (kind) => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    await node.folder.put('fits.yaml', withContainer('fits', PORT));
    await node.startAgent();
    await untilRunning(node.admin, 'fits');
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  it.each([
    {
      rule: 'a kernel parameter that is neither safe nor allowed',
      name: 'tunes',
      manifest: podManifest('tunes', {
        spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      }),
      reason: 'SysctlForbidden',
    },
    {
      rule: 'a host port that a running pod has',
      name: 'listens',
      manifest: withContainer('listens', PORT),
      reason: 'NodePorts',
    },
    {
      // Static pods are critical: room is looked for, and none is found.
      rule: 'more CPU than the node has',
      name: 'computes',
      manifest: withContainer('computes', { resources: { requests: { cpu: '100k' } } }),
      reason: 'UnexpectedAdmissionError',
    },
    {
      rule: 'a label that the node has not',
      name: 'selects',
      manifest: podManifest('selects', { spec: { nodeSelector: { 'example.com/rack': 'r7' } } }),
      reason: 'NodeAffinity',
    },
  ])('is rejected for $rule', async ({ name, manifest, reason }) => {
    await node.folder.put(`${name}.yaml`, manifest);
    const { status } = await untilPod(node.admin, name, {
      what: 'was judged',
      condition: (pod) => ['Failed', 'Running'].includes(pod.status?.phase ?? ''),
      withinMs: 40_000,
    });
    expect({ phase: status?.phase, reason: status?.reason }).toEqual({ phase: 'Failed', reason });
  });

  it('that was admitted runs on beside those', async () => {
    expect(Object.keys(await runningContainers(node.runtime.cri))).toEqual(['fits-node-a/app']);
  });
});
