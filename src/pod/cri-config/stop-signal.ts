import { Signal } from '../../cri/gen/api.ts';
import { own } from '../../kube/text/own.ts';
import type { Container } from '../../kube/pod.ts';

/**
 * Returns the signal that the runtime sends to stop the container (KEP-4960). Zero, the image's own signal, for an
 * unknown name.
 */
export function stopSignalOf({ lifecycle }: Container): Signal {
  const signals: Readonly<Record<string, Signal>> = Signal;
  return own(signals, lifecycle?.stopSignal ?? 'RUNTIME_DEFAULT') ?? Signal.RUNTIME_DEFAULT;
}
