import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import { findContainerLog } from '../../../src/serving/logs/find-container-log.ts';
import { FOREIGN_NAMES } from '../../support/foreign-names.ts';

/** A pod whose only container waits, with a message of the runtime. */
const waiting = (reason: string | undefined): Pod =>
  ({
    metadata: { name: 'web', namespace: 'a', uid: 'u1' },
    spec: { containers: [{ name: 'main' }] },
    status: { containerStatuses: [{ name: 'main', state: { waiting: { ...(reason !== undefined && { reason }) } } }] },
  }) as unknown as Pod;

const problemOf = (reason: string | undefined): string => {
  const found = findContainerLog(waiting(reason), 'main', false);
  return found.ok ? 'found' : `${found.status}: ${found.problem}`;
};

describe('the log of a container that waits', () => {
  it.each([
    { reason: 'ErrImagePull', says: "image can't be pulled" },
    { reason: 'ImagePullBackOff', says: 'trying and failing to pull image' },
    { reason: undefined, says: 'not started' },
    ...['ContainerCreating', ...FOREIGN_NAMES].map((reason) => ({ reason, says: reason })),
  ])('is not there, for the reason $reason', ({ reason, says }) => {
    expect(problemOf(reason)).toBe(`400: container "main" in pod "web" is waiting to start: ${says}`);
  });

  it.each(FOREIGN_NAMES)('is that of no container called %s', (name) => {
    expect(findContainerLog(waiting(undefined), name, false)).toEqual({
      ok: false,
      status: 404,
      problem: `container ${name} not found in pod web`,
    });
  });
});
