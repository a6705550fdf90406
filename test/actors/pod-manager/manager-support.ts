import type { PodManagerEffect } from '../../../actors/pod-manager/effects.ts';
import { PodDecisions } from '../../../actors/pod-manager/pod-decisions.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import type { RuntimePodName } from '../../../actors/pleg/protocol.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { pod } from '../../pod/pods.ts';

/** A static pod of the file source. Unless said otherwise each UID has a name of its own. */
export const filePod = (uid: string, name = `pod-${uid}`, parts: Parameters<typeof pod>[0] = {}): Pod =>
  pod({ ...parts, metadata: { uid, name, annotations: { 'kubernetes.io/config.source': 'file' }, ...parts.metadata } });

export const runtimePod = (uid: string, name = `pod-${uid}`): RuntimePodName => ({
  podUid: podUid(uid),
  name,
  namespace: 'shop',
});

/** An effect in a few words: `start a fresh`, `sync a`, `terminate a`. */
export function inWords(effect: PodManagerEffect): string {
  switch (effect.type) {
    case 'start-worker':
      return `start ${effect.uid} ${effect.history}`;
    case 'forget-status':
      return `forget ${effect.uid}`;
    case 'ask-source':
      return `ask ${effect.source}`;
    case 'tell-worker':
      return `${effect.command.type.replace('-pod', '')} ${effect.uid}${graceOf(effect.command)}`;
    case 'tell-status':
    case 'tell-mirrors':
      return `${effect.command.type} ${effect.uid}`;
    case 'keep-allocation':
      return `keep ${effect.uid}`;
    case 'resize-asked':
      return `asked ${effect.uid}`;
    case 'keep-victims':
      return `to end for ${effect.uid}: ${effect.victims.join(' ') || 'nobody'}`;
    case 'await-victims':
      return `await ${effect.uid} for ${effect.withinMs} ms`;
    case 'read-node':
      return 'read the node';
    case 'read-pod':
      return `read ${effect.uid}`;
    case 'record-event':
      return `${effect.event.reason} ${effect.uid}`;
    case 'tell-rejection':
      return `reject ${effect.uid} ${effect.rejection.reason}`;
    default:
      return assertNever(effect, 'effect');
  }
}

const graceOf = (command: object): string =>
  'gracePeriodSeconds' in command ? ` in ${String(command.gracePeriodSeconds)} s` : '';

/** A pod manager's state, told in a few words. Workers of UIDs from `m` on live on thread two. */
export class Manager {
  readonly state = new PodDecisions();
  #session = 0;
  #said = 0;

  tell(command: PodManagerProtocol['command']): readonly string[] {
    const threadOf = (uid: PodUid): string => (uid < 'm' ? 'pods-0' : 'pods-1');
    return this.state.decide(command, threadOf).map(inWords);
  }

  survey(runtimePods: readonly RuntimePodName[] = [], workers: readonly string[] = []): readonly string[] {
    return this.tell({
      type: 'node-surveyed',
      runtimePods,
      workers: workers.map(podUid),
      workersBefore: [...this.state.workers.keys()],
    });
  }

  /** The source starts anew. */
  newSession(): void {
    this.#session += 1;
    this.#said = 0;
  }

  source(set: readonly Pod[], gone: readonly string[] = [], complete = true): readonly string[] {
    return this.tell({
      type: 'source-changed',
      source: 'file',
      session: [1, this.#session],
      number: ++this.#said,
      set,
      gone: gone.map(podUid),
      complete,
    });
  }

  removed(uid: string): readonly string[] {
    return this.tell({ type: 'pod-terminated', podUid: podUid(uid), removed: true });
  }
}

/** One that has been told everything, and all of it is there. */
export function managing(...pods: readonly Pod[]): Manager {
  const manager = new Manager();
  manager.survey();
  manager.source(pods);
  return manager;
}
