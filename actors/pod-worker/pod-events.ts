import type { Log } from '../../src/actor/log.ts';
import { podEventObject, recordedPodEventObject, type RecordEvent } from '../../src/kube/event.ts';
import { namesOf, podOf } from './decide/pod-of.ts';
import type { PodEvent, PodPhase } from './worker-state.ts';

/** Warnings about the node's settings, the same for every pod. The pod runs anyway. */
const HARMLESS: ReadonlySet<string> = new Set(['MissingClusterDNS', 'DNSConfigForming']);
/** How many logged warnings are remembered. Beyond that, warnings are logged again. */
const WARNINGS_KEPT = 20;

export interface PodEventsDeps {
  readonly uid: string;
  readonly log: Log;
  readonly recordEvent: RecordEvent;
}

/** Records the events of one pod. A warning about the pod is logged too, once. */
export class PodEvents {
  readonly #deps: PodEventsDeps;
  readonly #logged = new Set<string>();

  constructor(deps: PodEventsDeps) {
    this.#deps = deps;
  }

  record(phase: PodPhase, { container, ...event }: PodEvent): void {
    const { uid, log, recordEvent } = this.#deps;
    const pod = podOf(phase);
    const { name, namespace } = namesOf(phase);
    if (pod !== undefined) recordEvent({ object: podEventObject(pod, container), ...event });
    else if (name !== '')
      recordEvent({ object: recordedPodEventObject({ name, namespace, uid }, container), ...event });
    const text = `${event.reason}: ${event.message}`;
    if (event.type === 'Normal' || HARMLESS.has(event.reason) || this.#logged.has(text)) return;
    if (this.#logged.size >= WARNINGS_KEPT) this.#logged.clear();
    this.#logged.add(text);
    log.warn({ pod: `${namespace}/${name}`, reason: event.reason }, event.message);
  }
}
