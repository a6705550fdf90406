import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import { hostIpsOf } from '../../src/node/object/node-addresses.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { NodeAdmission } from './admission/admission.ts';
import type { ApiObjects } from './api-objects.ts';
import type { PodManagerEffect } from './effects.ts';
import { PodTermination } from './pod-termination.ts';
import { PodAdmitter } from './admission/admit-pods.ts';
import { PresentPods } from './present-pods.ts';
import { hostIpsChanged, instruct, startAllAgain, terminationInstructions } from './instructions.ts';
import { admissionNode } from './observed-node.ts';
import { PodTable, type PodManagerInputs } from './pod-table.ts';
import type { PodManagerProtocol } from './protocol.ts';
import { DesiredPods } from './desired-pods.ts';
import type { Worker } from './worker-record.ts';

/**
 * The desired pods of this node and the actions taken for them. Of two pods with the same full name only one is ever on
 * the node: the newer pod waits until nothing of the older is left. Mutated in place: a change touches only its own
 * pods.
 */
export class PodDecisions {
  readonly #podTable: PodTable;
  readonly #admitter: PodAdmitter;
  readonly #presentPods: PresentPods;
  readonly #podTermination: PodTermination;
  readonly #desiredPods: DesiredPods;

  constructor(sources: readonly PodSource[] = ['file'], node?: AdmissionNode, inputs: PodManagerInputs = {}) {
    this.#podTable = new PodTable(sources, node, inputs);
    this.#admitter = new PodAdmitter(this.#podTable);
    this.#presentPods = new PresentPods(this.#podTable, this.#admitter);
    this.#podTermination = new PodTermination(this.#podTable, this.#admitter, this.#presentPods);
    this.#desiredPods = new DesiredPods(this.#podTable, this.#admitter, this.#presentPods);
  }

  decide(command: PodManagerProtocol['command'], threadOf: (uid: PodUid) => string): readonly PodManagerEffect[] {
    switch (command.type) {
      case 'source-changed':
        return this.#desiredPods.sourceChanged(command);
      case 'node-surveyed':
        return [...this.#desiredPods.askAgain(), ...this.#presentPods.surveyedNode(command)];
      case 'runtime-pod-appeared':
        return this.#presentPods.appeared(command);
      case 'runtime-pod-vanished':
        return this.#presentPods.vanished(command.podUid);
      case 'worker-restarted':
      case 'sequence-reported':
        return instruct(this.#podTable, command.podUid);
      case 'pod-terminated':
        return command.removed ? this.#podTermination.removed(command) : this.#podTermination.ended(command.podUid);
      case 'thread-started':
        return startAllAgain(this.#podTable, (uid) => threadOf(uid) === command.thread);
      case 'resend-due':
        return [
          ...[...this.#podTable.workers].flatMap(([uid, each]) =>
            terminationInstructions(uid, each, this.#podTable.runtimePods.get(uid)),
          ),
          ...this.#admitter.retryResizes(),
        ];
      case 'drain':
        this.#podTable.draining = true;
        return [
          ...[...this.#podTable.desired.keys()].flatMap((uid) => this.#desiredPods.unwanted(uid)),
          ...this.#presentPods.sweep(),
        ];
      case 'report-api-pods':
        return this.#podTable.objects.statusReport(this.#podTable.desired);
      case 'report-mirror-pods':
        return this.#podTable.objects.mirrorReport(this.#podTable.workers, this.#podTable.desired);
      case 'node-observed':
        return this.#admitter.nodeObserved(admissionNode(command.node));
      case 'node-addresses-observed':
        return hostIpsChanged(this.#podTable, hostIpsOf(command.addresses));
      case 'node-shutting-down':
      case 'pressures-observed':
        return this.#podTable.nodeAdmission.noteNodeReport(command);
      case 'preemption-overdue':
        return this.#admitter.overdue(command.podUid);
      case 'node-read':
        return this.#admitter.nodeRead(command.node && admissionNode(command.node));
      case 'pod-read':
        return this.#desiredPods.readOnServer(command);
      case 'evict-pod':
        return this.#podTermination.evict(command);
      case 'runtime-health-changed':
      case 'survey':
        return [];
      default:
        return assertNever(command, 'pod manager command');
    }
  }

  get desired(): ReadonlyMap<PodUid, Pod> {
    return this.#podTable.desired;
  }

  get workers(): ReadonlyMap<PodUid, Worker> {
    return this.#podTable.workers;
  }

  get objects(): ApiObjects {
    return this.#podTable.objects;
  }

  get nodeAdmission(): NodeAdmission {
    return this.#podTable.nodeAdmission;
  }

  get hostIps(): readonly string[] {
    return this.#podTable.hostIps;
  }

  /** How many resizes are pending, by reason. */
  get pendingResizes(): ReadonlyMap<string, number> {
    return this.#podTable.resizes.pendingByReason;
  }

  get surveyed(): boolean {
    return this.#podTable.surveyed;
  }

  get knowsAll(): boolean {
    return this.#podTable.knowsAll;
  }

  /** Pods that no source names and that the API may have. */
  get doubted(): readonly PodUid[] {
    return this.#podTable.doubted.uids;
  }

  get isEmpty(): boolean {
    return this.desired.size === 0 && this.workers.size === 0;
  }
}
