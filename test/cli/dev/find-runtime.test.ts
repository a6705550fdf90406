import { describe, expect, it } from 'vitest';
import { describeChoice } from '../../../src/cli/dev/run-dev.ts';
import { findRuntime, type RuntimeAnswer } from '../../../src/cli/dev/find-runtime.ts';

const CONTAINERD = '/run/containerd/containerd.sock';
const CRIO = '/run/crio/crio.sock';
const yes = (name: string): RuntimeAnswer => ({ usable: true, name, version: '2' });
const no = (why: string): RuntimeAnswer => ({ usable: false, why });

/** A machine with these sockets, and their answers. */
const machine = (sockets: Readonly<Record<string, RuntimeAnswer>>) => ({
  exists: (path: string) => path in sockets,
  ask: async (endpoint: string) => sockets[endpoint.replace('unix://', '')] ?? no('there is no such socket'),
});

describe('the runtime of a development session', () => {
  it('is the requested runtime, even if others exist', async () => {
    const choice = await findRuntime('/my.sock', machine({ '/my.sock': yes('mine'), [CONTAINERD]: yes('containerd') }));
    expect(choice).toEqual({ type: 'found', endpoint: '/my.sock', name: 'mine', version: '2' });
  });

  it('is unusable if the requested runtime does not answer', async () => {
    const choice = await findRuntime('/my.sock', machine({ [CONTAINERD]: yes('containerd') }));
    expect(choice).toEqual({ type: 'unusable', endpoint: '/my.sock', why: 'there is no such socket' });
  });

  it('is containerd before CRI-O', async () => {
    const choice = await findRuntime(undefined, machine({ [CRIO]: yes('cri-o'), [CONTAINERD]: yes('containerd') }));
    expect(choice).toMatchObject({ type: 'found', endpoint: `unix://${CONTAINERD}`, name: 'containerd' });
  });

  it('is CRI-O when containerd cannot be used', async () => {
    const choice = await findRuntime(undefined, machine({ [CONTAINERD]: no('it is off'), [CRIO]: yes('cri-o') }));
    expect(choice).toMatchObject({ type: 'found', endpoint: `unix://${CRIO}` });
  });

  it('is the embedded runtime if no runtime answers, with the reasons', async () => {
    const choice = await findRuntime(undefined, machine({ [CONTAINERD]: no('this user may not open the socket') }));
    expect(describeChoice(choice)).toEqual([
      `skipping ${CONTAINERD}: this user may not open the socket`,
      expect.stringMatching(/^runtime: embedded/),
    ]);
  });

  it('is the embedded runtime on a machine without runtimes', async () => {
    expect(await findRuntime(undefined, machine({}))).toEqual({ type: 'embedded', passedOver: [] });
  });
});
