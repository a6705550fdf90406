import { isBelow, isEntryName } from '../../../src/kube/validation/entry-name.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';
import { containerDir } from '../../../src/pod/values/pod-paths.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { PodWorkerProtocol } from '../protocol.ts';
import {
  lastLogLines,
  terminationMessageSources,
  LOG_TAIL_BYTES,
  TERMINATION_MESSAGE_BYTES,
  terminationFileName,
  wholeMessage,
} from '../../../src/pod/status/termination-message.ts';

export interface TerminationMessagesDeps {
  readonly uid: string;
  readonly files: Pick<PodFiles, 'readTail'>;
  readonly node: Pick<NodeFacts, 'rootDir' | 'podLogsDir'>;
}

/** Adds termination messages to ended containers. Each message is read once: it does not change after the end. */
export class TerminationMessages {
  readonly #deps: TerminationMessagesDeps;
  #known = new Map<ContainerId, string>();

  constructor(deps: TerminationMessagesDeps) {
    this.#deps = deps;
  }

  addTo(observed: ObservedPod): ObservedPod {
    const { status } = observed;
    if (!status.containers.some(({ state }) => state === 'exited')) return observed;
    // Messages of containers that the runtime has removed are dropped.
    const known = new Map<ContainerId, string>();
    const containers = status.containers.map((container) => {
      if (container.state !== 'exited') return container;
      const words = this.#known.get(container.id) ?? this.#read(container);
      known.set(container.id, words);
      return words === '' ? container : { ...container, message: wholeMessage(container.message, words) };
    });
    this.#known = known;
    return { ...observed, status: { ...status, containers } };
  }

  #read(container: RuntimeContainer): string {
    const { uid, files, node } = this.#deps;
    const { name, restartCount, logPath } = container;
    // These names come from the runtime. A container whose name is no file name has no files of this agent.
    if (!isEntryName(uid) || !isEntryName(name)) return '';
    const wanted = terminationMessageSources(container);
    const file = `${containerDir(node.rootDir, uid, name)}/${terminationFileName(uid, name, restartCount)}`;
    const message = wanted.file ? (files.readTail(file, TERMINATION_MESSAGE_BYTES) ?? '') : '';
    if (message !== '' || !wanted.log || !isBelow(node.podLogsDir, logPath)) return message;
    return lastLogLines(files.readTail(logPath, LOG_TAIL_BYTES) ?? '');
  }
}

/** Adds the containers' termination messages to a status from the runtime. */
export function withTerminationMessages(
  words: TerminationMessages,
  command: PodWorkerProtocol['command'],
): PodWorkerProtocol['command'] {
  switch (command.type) {
    case 'pod-status-observed':
      return { ...command, ...words.addTo(command) };
    case 'sandbox-ready':
      return { ...command, observed: words.addTo(command.observed) };
    case 'observed': {
      const { outcome } = command;
      return outcome.ok ? { ...command, outcome: { ok: true, value: words.addTo(outcome.value) } } : command;
    }
    default:
      return command;
  }
}
