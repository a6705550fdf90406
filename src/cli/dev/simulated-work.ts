import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Pod } from '../../kube/pod.ts';

/** The command to the embedded runtime that ends a simulated container's program. */
export interface EndContainer {
  readonly op: 'exit';
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly code: 0;
}

/**
 * Returns the init containers whose work counts as done. A simulated container runs until a command ends it. The
 * runtime cannot know which containers should finish, and their pods would wait for ever.
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

/**
 * Sends a command to the embedded runtime. A failed command is harmless, such as ending a container that has just ended
 * by itself.
 */
export function commandRuntime(controlSocket: string, command: EndContainer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(controlSocket);
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    createInterface({ input: socket }).on('line', () => socket.end());
    socket.write(`${JSON.stringify(command)}\n`);
  });
}
