import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import type { CriMethodName } from '../../src/cri/methods.ts';
import { isUnknownResize } from './acting-runtime.ts';
import { RefusedCall } from '../lifecycle/live/proxy-calls.ts';

describe('a call that an old runtime does not implement', () => {
  it.each<{ method: CriMethodName; error: unknown; isIt: boolean }>([
    { method: 'UpdatePodSandboxResources', error: new RefusedCall('unknown method', status.UNIMPLEMENTED), isIt: true },
    { method: 'UpdatePodSandboxResources', error: new RefusedCall('no such sandbox', status.NOT_FOUND), isIt: false },
    { method: 'UpdatePodSandboxResources', error: undefined, isIt: false },
    { method: 'UpdateContainerResources', error: new RefusedCall('unknown', status.UNIMPLEMENTED), isIt: false },
  ])('is recognized from $method with $error: $isIt', ({ method, error, isIt }) => {
    expect(isUnknownResize({ method }, error)).toBe(isIt);
  });
});
