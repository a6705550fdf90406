import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { AdmissionDesk } from './admission/admission.ts';
import type { ApiObjects } from './api-objects.ts';
import type { PodManagerEffect } from './effects.ts';
import { Endings } from './pod-termination.ts';
import { Entrance } from './admission/admit-pods.ts';
import { Holdings } from './present-pods.ts';
import { instruct, startAllAgain, urgings } from './instructions.ts';
import { admissionNode } from './observed-node.ts';
import { PodBook, type Surroundings } from './pod-table.ts';
import type { PodManagerProtocol } from './protocol.ts';
import { Wishes } from './desired-pods.ts';
import type { Worker } from './worker-record.ts';

/**
 * The desired pods of this node and the actions taken for them. Of two pods with the same full name only one is ever on
 * the node: the newer pod waits until nothing of the older is left. Mutated in place: a change touches only its own
 * pods.
 */
export class PodDecisions {
  readonly #book: PodBook;
  readonly #entrance: Entrance;
  readonly #holdings: Holdings;
  readonly #endings: Endings;
  readonly #wishes: Wishes;

  constructor(sources: readonly PodSource[] = ['file'], node?: AdmissionNode, surroundings: Surroundings = {}) {
    this.#book = new PodBook(sources, node, surroundings);
    this.#entrance = new Entrance(this.#book);
    this.#holdings = new Holdings(this.#book, this.#entrance);
    this.#endings = new Endings(this.#book, this.#entrance, this.#holdings);
    this.#wishes = new Wishes(this.#book, this.#entrance, this.#holdings);
  }

  decide(command: PodManagerProtocol['command'], threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    switch (command.type) {
      case 'source-changed':
        return this.#wishes.sourceChanged(command);
      case 'node-surveyed':
        return this.#holdings.surveyedNode(command);
      case 'runtime-pod-appeared':
        return this.#holdings.appeared(command);
      case 'runtime-pod-vanished':
        return this.#holdings.vanished(command.podUid);
      case 'worker-restarted':
      case 'pod-heard':
        return instruct(this.#book, command.podUid);
      case 'pod-terminated':
        return command.removed ? this.#endings.removed(command) : this.#endings.ended(command.podUid);
      case 'thread-up':
        return startAllAgain(this.#book, (uid) => threadOf(uid) === command.thread);
      case 'urge':
        return [
          ...[...this.#book.workers].flatMap(([uid, each]) => urgings(uid, each, this.#book.runtimePods.get(uid))),
          ...this.#entrance.retryResizes(),
        ];
      case 'drain':
        this.#book.draining = true;
        return [
          ...[...this.#book.desired.keys()].flatMap((uid) => this.#wishes.unwanted(uid)),
          ...this.#holdings.sweep(),
        ];
      case 'report-api-pods':
        return this.#book.objects.statusReport(this.#book.desired);
      case 'report-mirror-pods':
        return this.#book.objects.mirrorReport(this.#book.workers, this.#book.desired);
      case 'node-observed':
        return this.#entrance.nodeObserved(admissionNode(command.node));
      case 'node-shutting-down':
      case 'pressures-observed':
        return this.#book.desk.told(command);
      case 'preemption-overdue':
        return this.#entrance.overdue(command.podUid);
      case 'judgement-due':
        return this.#entrance.judgeLast(command.podUid);
      case 'evict-pod':
        return this.#endings.evict(command);
      case 'runtime-health-changed':
      case 'survey':
        return [];
      default:
        return assertNever(command, 'pod manager command');
    }
  }

  get desired(): ReadonlyMap<PodUid, Pod> {
    return this.#book.desired;
  }

  get workers(): ReadonlyMap<PodUid, Worker> {
    return this.#book.workers;
  }

  get objects(): ApiObjects {
    return this.#book.objects;
  }

  get desk(): AdmissionDesk {
    return this.#book.desk;
  }

  /** How many resizes are pending, by reason. */
  get pendingResizes(): ReadonlyMap<string, number> {
    return this.#book.resizes.pendingByReason;
  }

  get surveyed(): boolean {
    return this.#book.surveyed;
  }

  get knowsAll(): boolean {
    return this.#book.knowsAll;
  }

  get isEmpty(): boolean {
    return this.desired.size === 0 && this.workers.size === 0;
  }
}
