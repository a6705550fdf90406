import { describe, expect, it } from 'vitest';
import { isSystemOom, killsBetween, oomKillOf, systemOomMessage } from '../../../actors/oom-watcher/state.ts';

const line = (text: string): string => `6,1042,98765432,-;${text}\n SUBSYSTEM=memory\n`;

const ofNode =
  'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/db.service,task=db,pid=77,uid=0';
const ofCgroup =
  'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg=/kubepods/podu1,task_memcg=/kubepods/podu1/c1,task=my, task,pid=12,uid=1000';

describe('a record of the kernel log', () => {
  it.each([
    { record: ofNode, kill: { process: 'db', pid: 77, victim: '/system.slice/db.service', constraint: 'node' } },
    { record: ofCgroup, kill: { process: 'my, task', pid: 12, victim: '/kubepods/podu1/c1', constraint: 'cgroup' } },
    { record: 'stress invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0', kill: undefined },
    { record: 'usb 1-1: oom-kill:constraint=X,task_memcg=/,task=fake,pid=1,uid=0', kill: undefined },
    { record: '', kill: undefined },
  ])('finds $kill', ({ record, kill }) => {
    expect(oomKillOf(line(record))).toEqual(kill);
  });
});

describe('a kill for want of memory', () => {
  it.each([
    { rule: 'of a process outside any cgroup is a node event', victim: '/', constraint: 'cgroup' as const, told: true },
    {
      rule: 'of a service is a node event when the node was out of memory',
      victim: '/system.slice/db',
      constraint: 'node' as const,
      told: true,
    },
    {
      rule: 'of a service at its own limit is not a node event',
      victim: '/system.slice/db',
      constraint: 'cgroup' as const,
      told: false,
    },
    {
      rule: 'of a container is not a node event',
      victim: '/kubepods/podu1/c1',
      constraint: 'cgroup' as const,
      told: false,
    },
    {
      rule: 'of a container is not a node event even when the node was out of memory',
      victim: '/kubepods/podu1/c1',
      constraint: 'node' as const,
      told: false,
    },
    {
      rule: 'in a cgroup with a similar name is a node event',
      victim: '/kubepods-not',
      constraint: 'node' as const,
      told: true,
    },
  ])('$rule', ({ victim, constraint, told }) => {
    expect(isSystemOom({ process: 'db', pid: 1, victim, constraint }, '/kubepods')).toBe(told);
  });

  it("is reported in the kubelet's words", () => {
    const message = systemOomMessage({ process: 'db', pid: 77, victim: '/', constraint: 'node' });
    expect(message).toBe('System OOM encountered, victim process: db, pid: 77');
  });

  it.each([
    { before: [1, 1], after: [1, 1], kills: 0 },
    { before: [1, 1], after: [3, 1], kills: 2 },
    { before: [1, 1], after: [3, 3], kills: 0 },
    { before: [1, 5], after: [2, 0], kills: 1 },
  ])('is counted when it cannot be read: $before, then $after', ({ before, after, kills }) => {
    const counts = ([onNode = 0, inPods = 0]: readonly number[]) => ({ onNode, inPods });
    expect(killsBetween(counts(before), counts(after))).toBe(kills);
  });
});
