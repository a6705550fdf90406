import { describe, expect, it } from 'vitest';
import { OomWatcher, type OomWatcherDeps } from '../../../actors/oom-watcher/actor.ts';
import type { OomWatcherProtocol } from '../../../actors/oom-watcher/protocol.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const kill = (process: string): string =>
  `6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE,global_oom,task_memcg=/,task=${process},pid=7,uid=0\n`;

async function watcher(deps: Partial<OomWatcherDeps>) {
  const events: string[] = [];
  const test = await actorUnderTest<OomWatcherProtocol>({
    address: 'oom-watcher',
    others: {},
    make: (context) =>
      new OomWatcher(context, {
        openKernelLog: () => undefined,
        readCounts: () => undefined,
        podsCgroup: '/kubepods',
        nodeEvent: ({ reason, message }) => void events.push(`${reason}: ${message}`),
        ...deps,
      }),
  });
  return { ...test, events };
}

describe('the OOM watcher', () => {
  it('reports each kill in the kernel log', async () => {
    const records = ['6,1,1,-;eth0: up\n', kill('one'), kill('two')];
    const test = await watcher({ openKernelLog: () => ({ next: () => records.shift(), close() {} }) });
    await test.pass(2_000);
    expect(test.events).toEqual([
      'SystemOOM: System OOM encountered, victim process: one, pid: 7',
      'SystemOOM: System OOM encountered, victim process: two, pid: 7',
    ]);
    records.push(kill('three'));
    await test.pass(2_000);
    expect(test.events).toHaveLength(3);
  });

  it('reads an endless log in slices', async () => {
    let read = 0;
    const test = await watcher({ openKernelLog: () => ({ next: () => `6,${(read += 1)},1,-;noise\n`, close() {} }) });
    await test.pass(2_000);
    const first = read;
    expect(first).toBe(500);
    await test.pass(1);
    expect(read).toBe(1_000);
  });

  it('counts kills when the log cannot be read', async () => {
    let counts = { onNode: 5, inPods: 2 };
    const test = await watcher({ readCounts: () => counts });
    await test.pass(2_000);
    expect(test.events).toEqual([]);
    counts = { onNode: 7, inPods: 3 };
    await test.pass(2_000);
    expect(test.events).toEqual(['SystemOOM: System OOM encountered']);
    await test.pass(2_000);
    expect(test.events).toHaveLength(1);
  });

  it('logs that it is off when neither can be read', async () => {
    const test = await watcher({});
    expect(test.logged.join()).toContain('this node records no SystemOOM events');
  });
});
