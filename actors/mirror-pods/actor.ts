import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { ApiClient } from '../../src/api/api-client.ts';
import { nodePath, podPath, podsPath } from '../../src/api/api-path.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { mirrorPod } from '../../src/pod/source/mirror-pod.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { MirrorPodsProtocol, MirrorStep } from './protocol.ts';
import { MirrorSteps } from './mirror-steps.ts';
import { dutyOf, judgeCall } from '../health-monitor/client.ts';
import type { DutyAttempt } from '../../src/health/duty.ts';
import { DutyOfParts } from '../../src/health/duty-of-parts.ts';

export interface MirrorPodsDeps {
  readonly api: Pick<ApiClient, 'get' | 'create' | 'delete'>;
  readonly nodeName: string;
}

/** Keeps the API's mirror pods equal to the static pods of this node. */
export class MirrorPods implements Actor<MirrorPodsProtocol> {
  readonly #context: ActorContext<MirrorPodsProtocol>;
  readonly #mirroring: DutyOfParts;
  readonly #deps: MirrorPodsDeps;
  readonly #state = new MirrorSteps();
  /** The calls under way, one a name. */
  readonly #attempts = new Map<string, DutyAttempt>();

  constructor(context: ActorContext<MirrorPodsProtocol>, deps: MirrorPodsDeps) {
    this.#context = context;
    this.#mirroring = new DutyOfParts(
      dutyOf(context, {
        work: 'keep the mirror pods',
        follows: 'the cluster does not see the static pods of this node as they are',
      }),
    );
    this.#deps = deps;
  }

  start(): void {
    this.#context.ref(POD_MANAGER).tell({ type: 'report-mirror-pods' });
  }

  tell(command: MirrorPodsProtocol['command']): void {
    switch (command.type) {
      case 'static-pod-present':
        return this.#take(this.#state.podPresent(command.pod));
      case 'static-pod-gone':
        return this.#take(this.#state.podGone(command.fullName, command.podUid));
      case 'mirror-pod-present':
        return this.#take(this.#state.objectSeen(command.mirror, command.outdated));
      case 'mirror-pod-gone':
        return this.#take(this.#state.objectGone(command.fullName, command.objectUid));
      case 'snapshot-complete':
        for (const step of this.#state.allMirrorsSeen()) this.#take(step);
        return;
      case 'step-ended':
        return this.#ended(command.step, command.outcome);
      case 'retry-due':
        this.#take(this.#state.tryAgain(command.fullName));
        // A static pod that is gone needs no mirror pod.
        return this.#mirroring.keep((fullName) => this.#state.knows(fullName));
      default:
        return assertNever(command, 'mirror pods command');
    }
  }

  #take(step: MirrorStep | undefined): void {
    if (step === undefined) return;
    const { self } = this.#context;
    this.#attempts.set(step.fullName, this.#mirroring.attempt(step.fullName, `the ${step.type} of ${step.fullName}`));
    this.#context.supervise(this.#perform(step).then((outcome) => self.tell({ type: 'step-ended', step, outcome })));
  }

  async #perform(step: MirrorStep): Promise<ApiOutcome<unknown>> {
    const { api, nodeName } = this.#deps;
    if (step.type === 'delete') {
      const options = { gracePeriodSeconds: 0, preconditions: { uid: step.uid } };
      return api.delete(podPath(step.namespace, step.name), options, 'object');
    }
    // The node's UID is needed first: without an owner reference the mirror pod would never be garbage collected. The
    // UID is read each time, since the node may have been registered again; static pods are few.
    const node = await api.get<{ readonly metadata?: { readonly uid?: string; readonly deletionTimestamp?: string } }>(
      nodePath(nodeName),
      'object',
    );
    if (!node.ok) {
      // A starting node has static pods before its registration: this is no refusal.
      const isUnknown = node.fault.kind === 'refused' && node.fault.code === 404;
      return isUnknown
        ? { ok: false, fault: { kind: 'not-sent', message: `the node ${nodeName} is not registered yet` } }
        : node;
    }
    const { uid, deletionTimestamp } = node.value.metadata ?? {};
    if (uid === undefined || deletionTimestamp !== undefined) {
      return { ok: false, fault: { kind: 'not-sent', message: `the node ${nodeName} is being deleted` } };
    }
    return api.create(podsPath(step.pod.metadata.namespace), mirrorPod(step.pod, { name: nodeName, uid }), 'object');
  }

  #ended(step: MirrorStep, outcome: ApiOutcome<unknown>): void {
    const then = this.#state.ended(step, outcome);
    judgeCall(this.#mirroring.of(step.fullName), outcome.ok || 'next' in then ? undefined : outcome.fault);
    // After the judgement: a call that hung and failed stays one trouble.
    this.#attempts.get(step.fullName)?.dropped();
    this.#attempts.delete(step.fullName);
    if ('next' in then) return this.#take(then.next);
    const { clock, log, self, random } = this.#context;
    const { fullName } = step;
    if (!outcome.ok && outcome.fault.kind === 'refused') {
      log.warn({ pod: fullName, err: outcome.fault.message }, `the mirror pod could not be ${step.type}d; retrying`);
    }
    clock.after(then.retryInMs * (1 + random() / 2), () => self.tell({ type: 'retry-due', fullName }));
  }
}
