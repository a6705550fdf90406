import { PodDecisions } from '../../../actors/pod-manager/pod-decisions.ts';
import type { PodManagerEffect } from '../../../actors/pod-manager/effects.ts';
import type { PodManagerInputs } from '../../../actors/pod-manager/pod-table.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { container, pod, type PodParts } from '../../pod/pods.ts';
import { inWords } from './manager-support.ts';

const SOURCE = 'kubernetes.io/config.source';

export const apiPod = (uid: string, parts: PodParts = {}): Pod =>
  pod({ ...parts, metadata: { uid, name: `pod-${uid}`, annotations: { [SOURCE]: 'api' }, ...parts.metadata } });
export const asking = (cpu: string): PodParts => ({
  containers: [container('main', { resources: { requests: { cpu } } })],
});

/** A pod manager in a cluster, with effects in a few words. */
export class ManagerInCluster {
  readonly state: PodDecisions;
  readonly #said = new Map<string, number>();

  constructor(inputs: PodManagerInputs = {}) {
    const node = { name: 'n1', labels: {}, os: 'linux', allocatable: {}, taints: [], strictSupplementalGroups: true };
    this.state = new PodDecisions(['file', 'api'], node, inputs);
  }

  effects(command: PodManagerProtocol['command']): readonly PodManagerEffect[] {
    return this.state.decide(command, () => 'pods-0');
  }

  /** Omits the reports about API objects to the status manager. */
  tell(command: PodManagerProtocol['command']): readonly string[] {
    return this.effects(command)
      .map(inWords)
      .filter((word) => !word.startsWith('api-pod-changed'));
  }

  source(
    source: 'file' | 'api',
    set: readonly Pod[],
    gone: readonly string[] = [],
    complete = true,
  ): readonly string[] {
    const number = (this.#said.get(source) ?? 0) + 1;
    this.#said.set(source, number);
    return this.tell({
      type: 'source-changed',
      source,
      session: [1, 1],
      number,
      set,
      gone: gone.map(podUid),
      complete,
    });
  }

  /** Counts a message that the source sent in another way. */
  heard(source: 'file' | 'api'): void {
    this.#said.set(source, (this.#said.get(source) ?? 0) + 1);
  }

  node(cpu = '2', labels: Readonly<Record<string, string>> = {}): readonly string[] {
    const node = { metadata: { name: 'n1', labels }, status: { allocatable: { cpu } } };
    return this.tell({ type: 'node-observed', node });
  }

  removed(uid: string, status?: PodStatus): readonly string[] {
    const last = status === undefined ? {} : { status };
    return this.tell({ type: 'pod-terminated', podUid: podUid(uid), removed: true, ...last });
  }
}

/** A manager that has surveyed the node and knows all wanted pods. */
export function managingInCluster(...pods: readonly Pod[]): ManagerInCluster {
  const manager = new ManagerInCluster();
  manager.tell({ type: 'node-surveyed', runtimePods: [], workers: [], workersBefore: [] });
  manager.node();
  manager.source('file', []);
  manager.source('api', pods);
  return manager;
}
