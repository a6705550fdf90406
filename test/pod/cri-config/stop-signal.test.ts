import { describe, expect, it } from 'vitest';
import { Signal } from '../../../src/cri/gen/api.ts';
import { stopSignalOf } from '../../../src/pod/cri-config/stop-signal.ts';
import { container } from '../pods.ts';

describe('the signal that stops a container', () => {
  it.each([
    { named: undefined, signal: Signal.RUNTIME_DEFAULT },
    { named: 'SIGUSR1', signal: Signal.SIGUSR1 },
    { named: 'SIGRTMIN', signal: Signal.SIGRTMIN },
    { named: 'SIGCHEESE', signal: Signal.RUNTIME_DEFAULT },
  ])('is the signal of the container ($named), or of its image', ({ named, signal }) => {
    expect(stopSignalOf(container('main', named === undefined ? {} : { lifecycle: { stopSignal: named } }))).toBe(
      signal,
    );
  });
});
