import { describe, expect, it } from 'vitest';
import { parseScript } from '../../../src/embedded/runtime/script/script.ts';
import { keyed } from '../../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../../support/foreign-names.ts';
import { simulate } from './simulate.ts';

describe.each(FOREIGN_NAMES)('the simulated runtime with the name %s', (name) => {
  it('runs a pod and a container of that name like any other', async () => {
    const runtime = simulate();
    const containerId = await runtime.start(await runtime.runPod(name), name);
    expect(runtime.status(containerId).metadata?.name).toBe(name);
    const answer = await runtime.core.execSync({ containerId, cmd: [name], timeout: 1n });
    expect(answer.exitCode).toBe(0);
  });

  it('follows the entries of a script for a pod, a container and a command of that name', async () => {
    const containers = keyed([[name, { exec: keyed([[name, '3']]) }]]);
    const runtime = simulate({ pods: keyed([[name, { containers }]]) });
    const containerId = await runtime.start(await runtime.runPod(name), name);
    expect((await runtime.core.execSync({ containerId, cmd: [name], timeout: 1n })).exitCode).toBe(3);
  });

  it('lists the objects with that label', async () => {
    const runtime = simulate();
    const pod = await runtime.runPod('web');
    const labels = keyed([[name, 'x']]);
    await runtime.start(pod, 'without');
    const has = await runtime.start(pod, 'with', { config: { labels } });
    const { containers } = runtime.core.listContainers({
      filter: { id: '', podSandboxId: '', labelSelector: labels, state: undefined },
    });
    expect(containers.map(({ id }) => id)).toEqual([has]);
    expect(Object.entries(runtime.status(has).labels)).toContainEqual([name, 'x']);
  });

  it('rejects a script with that member', () => {
    expect(() => parseScript(keyed([[name, {}]]))).toThrow(name);
  });
});
