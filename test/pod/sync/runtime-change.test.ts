import { describe, expect, it } from 'vitest';
import { isLifeChanged } from '../../../src/pod/sync/runtime-change.ts';
import { exited, record, runtime, sandbox, type RuntimeParts } from '../../pod/pods.ts';

const dead = sandbox({ state: 'not-ready' });

describe('what a relist sees of a pod', () => {
  it.each<{ rule: string; before?: RuntimeParts; after?: RuntimeParts; changed: boolean }>([
    { rule: 'nothing', changed: false },
    { rule: 'a new sandbox', before: { sandboxes: [] }, changed: true },
    { rule: 'a sandbox that died', after: { sandboxes: [dead] }, changed: true },
    {
      rule: 'a sandbox that never became ready',
      before: { sandboxes: [] },
      after: { sandboxes: [dead] },
      changed: true,
    },
    { rule: 'a container that began to run', after: { containers: [record('main')] }, changed: true },
    {
      rule: 'a container that ended',
      before: { containers: [record('main')] },
      after: { containers: [exited('main', 1)] },
      changed: true,
    },
    { rule: 'a container that vanished', before: { containers: [record('main')] }, changed: true },
    { rule: 'a container that ran and ended between', after: { containers: [exited('main', 128)] }, changed: true },
    { rule: 'a container that was merely created', after: { containers: [record('main', 'created')] }, changed: false },
    { rule: 'remains that were removed', before: { containers: [exited('main', 1)] }, changed: false },
    {
      rule: 'one container in the place of another',
      before: { containers: [record('main')] },
      after: { containers: [record('main', 'running', { attempt: 1 })] },
      changed: true,
    },
  ])('$rule', ({ before, after, changed }) => {
    expect(isLifeChanged(runtime(before), runtime(after))).toBe(changed);
  });
});
