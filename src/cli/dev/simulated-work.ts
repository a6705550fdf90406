import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Pod } from '../../kube/pod.ts';

/** Tells the embedded runtime that a simulated container's program has ended. */
export interface EndContainer {
  readonly op: 'exit';
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly code: 0;
}

/**
 * The init containers whose work counts as done. A simulated container runs until it is told otherwise, and the runtime
 * cannot know which of them are there to do one thing and end; their pods would wait for ever.
 */
export function initContainersToEnd(pods: readonly Pod[]): readonly EndContainer[] {
  return pods.flatMap(({ metadata, spec, status }) => {
    const sidecars = new Set(
      spec.initContainers?.filter((each) => each.restartPolicy === 'Always').map(({ name }) => name),
    );
    return (status?.initContainerStatuses ?? [])
      .filter(({ name, state }) => state?.running !== undefined && !sidecars.has(name))
      .map(({ name }) => ({ op: 'exit', pod: metadata.name, namespace: metadata.namespace, container: name, code: 0 }));
  });
}

/** Gives the embedded runtime a command. What it cannot do, such as ending what has just ended by itself, is nobody's loss. */
export function commandRuntime(controlSocket: string, command: EndContainer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(controlSocket);
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    createInterface({ input: socket }).on('line', () => socket.end());
    socket.write(`${JSON.stringify(command)}\n`);
  });
}
