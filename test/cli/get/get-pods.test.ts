import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { getPods, type GetPodsOptions, watchPods } from '../../../src/cli/get/get-pods.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { namedPod } from '../admin/fake-backend.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';
import { fakeTerminal } from '../fake-terminal.ts';

const system: Pod = { ...namedPod('dns'), metadata: { name: 'dns', namespace: 'kube-system', uid: 'u' } };
const some = [namedPod('web'), namedPod('db'), system];

async function get(more: Partial<GetPodsOptions>, pods: readonly Pod[] = some) {
  const terminal = fakeTerminal();
  const options: GetPodsOptions = { names: [], namespace: 'default', output: 'table', headers: true, ...more };
  const code = await getPods(options, { terminal, clock: manualClock(), backend: { pods: async () => pods } });
  return { code, out: terminal.written.join(''), err: terminal.complaints.join('') };
}

describe('hivelet get pods', () => {
  it('shows the pods of one namespace by name', async () => {
    expect((await get({})).out).toBe(
      'NAME   READY   STATUS    RESTARTS   AGE\n' +
        'db     0/1     Unknown   0          <unknown>\n' +
        'web    0/1     Unknown   0          <unknown>\n',
    );
  });

  it('shows all namespaces, in a column of their own', async () => {
    const { out } = await get({ namespace: undefined, headers: false });
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 2).join('/'))).toEqual([
      'default/db',
      'default/web',
      'kube-system/dns',
      '',
    ]);
  });

  it('writes a list as JSON and as YAML', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: '' },
      items: [namedPod('db'), namedPod('web')],
    };
    expect(JSON.parse((await get({ output: 'json' })).out)).toEqual(list);
    expect(parse((await get({ output: 'yaml' })).out)).toEqual(list);
  });

  it('prints a single named pod as an object, not as a list', async () => {
    expect(JSON.parse((await get({ names: ['web'], output: 'json' })).out)).toEqual(namedPod('web'));
  });

  it('names the missing pods, and fails', async () => {
    const { code, out, err } = await get({ names: ['web', 'cache'], output: 'name' });
    expect({ code, out }).toEqual({ code: 1, out: 'pod/web\n' });
    expect(err).toContain('there is no pod cache in namespace default');
  });

  it('reports that there are no pods, without failing', async () => {
    expect(await get({}, [])).toEqual({ code: 0, out: '', err: 'No resources found in default namespace.\n' });
  });
});

describe('hivelet get pods --watch', () => {
  it('adds a line for each pod that has changed, and none for its age', async () => {
    let pods = [namedPod('db'), namedPod('web')];
    const terminal = fakeTerminal();
    const clock = manualClock();
    const options: GetPodsOptions = { names: [], namespace: 'default', output: 'table', headers: true };
    void watchPods(options, { terminal, clock, backend: { pods: async () => pods } });
    await settled();
    await clock.advanceAndSettle(5_000);
    expect(terminal.written.join('').trimEnd().split('\n')).toHaveLength(3);
    pods = [namedPod('db'), namedPod('web', { status: { phase: 'Running' } })];
    await clock.advanceAndSettle(5_000);
    expect(terminal.written.at(-1)).toBe('web    0/1     Running   0          <unknown>\n');
  });
});
