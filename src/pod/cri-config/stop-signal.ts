import { Signal } from '../../cri/gen/api.ts';
import { own } from '../../kube/text/own.ts';
import type { Container } from '../../kube/pod.ts';

/** What the runtime sends a container that is to stop (KEP-4960). Zero, which is what the image says, for a name nobody knows. */
export function stopSignalOf({ lifecycle }: Container): Signal {
  const signals: Readonly<Record<string, Signal>> = Signal;
  return own(signals, lifecycle?.stopSignal ?? 'RUNTIME_DEFAULT') ?? Signal.RUNTIME_DEFAULT;
}
