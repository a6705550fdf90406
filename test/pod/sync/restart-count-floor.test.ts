import { describe, expect, it } from 'vitest';
import { nextRestarts } from '../../../src/pod/sync/restart-count-floor.ts';
import type { ContainerStatus } from '../../../src/kube/pod.ts';

const status = (parts: Partial<ContainerStatus>): ContainerStatus => ({
  name: 'main',
  ready: false,
  restartCount: 2,
  image: 'web',
  imageID: '',
  ...parts,
});

describe('the least restart count of a container’s next instance', () => {
  it.each([
    { rule: 'is one more than the count of a running instance', told: status({ state: { running: {} } }), least: 3 },
    {
      rule: 'is one more than the count of an ended instance',
      told: status({ state: { terminated: { exitCode: 1 } } }),
      least: 3,
    },
    {
      rule: 'equals that of a waiting container',
      told: status({ state: { waiting: { reason: 'ContainerCreating' } } }),
      least: 2,
    },
  ])('$rule', ({ told, least }) => {
    expect(nextRestarts({ containerStatuses: [told] }).get('main')).toBe(least);
    expect(nextRestarts({ initContainerStatuses: [told] }).get('main')).toBe(least);
  });

  it('is unknown without a status', () => {
    expect(nextRestarts(undefined).size).toBe(0);
  });
});
