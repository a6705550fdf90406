import { describe, expect, it } from 'vitest';

import { sandboxId } from '../../../src/kube/ids.ts';
import { sandboxChange } from '../../../src/pod/sync/sandbox-change.ts';
import { pod, runtime, sandbox } from '../pods.ts';

const newest = sandbox({ attempt: 2 });
const id = sandboxId('sandbox-2');

describe('the sandbox of a pod', () => {
  it.each([
    {
      rule: 'is created when there is no sandbox',
      sandboxes: [],
      expected: { changed: true, attempt: 0, sandboxId: undefined },
    },
    {
      rule: 'is replaced when two are ready',
      sandboxes: [newest, sandbox({ attempt: 1 })],
      expected: { changed: true, attempt: 3, sandboxId: id },
    },
    {
      rule: 'is replaced when the newest is not ready',
      sandboxes: [sandbox({ attempt: 2, state: 'not-ready' }), sandbox({ attempt: 1 })],
      expected: { changed: true, attempt: 3, sandboxId: id },
    },
    {
      rule: 'is replaced, and not counted, when it has the other network mode',
      sandboxes: [sandbox({ attempt: 2, hostNetwork: true })],
      expected: { changed: true, attempt: 3, sandboxId: undefined },
    },
    {
      rule: 'is replaced when it has no address',
      sandboxes: [sandbox({ attempt: 2, ip: '' })],
      expected: { changed: true, attempt: 3, sandboxId: id },
    },
    {
      rule: 'stays when the runtime reports no network',
      sandboxes: [sandbox({ attempt: 2, ip: undefined })],
      expected: { changed: false, attempt: 2, sandboxId: id },
    },
    {
      rule: 'stays beside dead sandboxes',
      sandboxes: [newest, sandbox({ attempt: 1, state: 'not-ready' })],
      expected: { changed: false, attempt: 2, sandboxId: id },
    },
  ])('$rule', ({ sandboxes, expected }) => {
    expect(sandboxChange(pod(), runtime({ sandboxes }))).toEqual(expected);
  });

  it('needs no address of its own on the host network', () => {
    const status = runtime({ sandboxes: [sandbox({ hostNetwork: true, ip: '' })] });
    expect(sandboxChange(pod({ hostNetwork: true }), status).changed).toBe(false);
  });
});
