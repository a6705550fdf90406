import { describe, expect, it } from 'vitest';
import { simulate, stateOf } from './simulate.ts';

type Runtime = ReturnType<typeof simulate>;

const scripted = (exec: object): Runtime => simulate({ pods: { web: { containers: { main: { exec } } } } });

async function codes(runtime: Runtime, containerId: string, calls: number): Promise<number[]> {
  const given: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    given.push((await runtime.core.execSync({ containerId, cmd: ['probe', '-x'], timeout: 1n })).exitCode);
  }
  return given;
}

describe('a command in a simulated container', () => {
  it('succeeds without output if the script has no entry for it', async () => {
    const runtime = simulate();
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    const answer = await runtime.core.execSync({ containerId, cmd: ['anything'], timeout: 1n });
    expect(answer).toMatchObject({ exitCode: 0, stdout: Buffer.alloc(0) });
  });

  it('starts its results again for each instance of the container', async () => {
    const runtime = scripted({ 'probe -x': ['1', '2:text', '0'] });
    const pod = await runtime.runPod('web');
    expect(await codes(runtime, await runtime.start(pod, 'main'), 4)).toEqual([1, 2, 0, 0]);
    expect(await codes(runtime, await runtime.start(pod, 'main', { attempt: 1 }), 2)).toEqual([1, 2]);
  });

  it('by name, continues its results across restarts', async () => {
    const runtime = scripted({ 'probe -x': { by: 'name', results: ['1', '2', '3', '0'] } });
    const pod = await runtime.runPod('web');
    expect(await codes(runtime, await runtime.start(pod, 'main'), 2)).toEqual([1, 2]);
    expect(await codes(runtime, await runtime.start(pod, 'main', { attempt: 1 }), 3)).toEqual([3, 0, 0]);
  });

  it('by age, gives the result for the time since the start', async () => {
    const runtime = scripted({ 'probe -x': { by: 'age', ages: ['0s', '7s'], results: ['0', '1:not yet'] } });
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    expect(await codes(runtime, containerId, 2)).toEqual([0, 0]);
    runtime.clock.advance(7000);
    const { exitCode, stdout } = await runtime.core.execSync({ containerId, cmd: ['probe', '-x'], timeout: 1n });
    expect([exitCode, Buffer.from(stdout).toString()]).toEqual([1, 'not yet']);
  });

  it('fails the call if the script says err', async () => {
    const runtime = scripted({ 'probe -x': 'err:shim is gone' });
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    await expect(codes(runtime, containerId, 1)).rejects.toMatchObject({ code: 'Unknown', message: 'shim is gone' });
  });

  it.each([
    { timeout: 2n, afterMs: 2000, rule: 'when its timeout is over, with DeadlineExceeded', state: 'failed' },
    { timeout: 4n, afterMs: 2999, rule: 'not before its time', state: 'pending' },
    { timeout: 4n, afterMs: 3000, rule: 'in its time', state: 'done' },
    { timeout: 0n, afterMs: 3000, rule: 'in its time, without a timeout', state: 'done' },
  ] as const)('that takes 3 s ends $rule', async ({ timeout, afterMs, state }) => {
    const runtime = scripted({ slow: '0@3s' });
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    const running = runtime.core.execSync({ containerId, cmd: ['slow'], timeout });
    runtime.clock.advance(afterMs);
    expect(await stateOf(running)).toBe(state);
  });

  it('ends with 137 if its container dies during the command', async () => {
    const runtime = scripted({ slow: '0@3s' });
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    const running = runtime.core.execSync({ containerId, cmd: ['slow'], timeout: 10n });
    runtime.core.control.exit({ pod: 'web', container: 'main' }, 0);
    await expect(running).resolves.toMatchObject({ exitCode: 137 });
  });
});
