import { elapsedMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { jitter } from '../../src/actor/random.ts';
import type { ApiClient } from '../../src/api/api-client.ts';
import { leasePath, leasesPath } from '../../src/api/api-path.ts';
import { isNotFound, type ApiOutcome } from '../../src/api/api-request.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { Lease } from '../../src/kube/lease.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import type { NodeLeaseProtocol, NodeLeaseQuestion } from './protocol.ts';
import {
  afterLeaseCall,
  initialLease,
  leaseBackOffMs,
  leaseRetryMs,
  nextLeaseCall,
  RENEW_FRACTION,
  type LeaseCall,
  type LeaseSettings,
} from './state.ts';
import { dutyOf, judgeCall } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface NodeLeaseDeps {
  readonly api: ApiClient;
  readonly settings: LeaseSettings;
}

const JITTER = 0.04;
const ASK_WITHIN = { deadlineMs: 5_000 };

/** Renews this node's lease, by which the cluster knows that the node is alive. */
export class NodeLease implements Actor<NodeLeaseProtocol> {
  readonly #context: ActorContext<NodeLeaseProtocol>;
  readonly #renewal: Duty;
  readonly #deps: NodeLeaseDeps;
  readonly #renewEveryMs: number;
  #state = initialLease;
  #call: LeaseCall | undefined;
  #busy = false;
  #cancelRenewal: () => void = () => {};

  constructor(context: ActorContext<NodeLeaseProtocol>, deps: NodeLeaseDeps) {
    this.#context = context;
    this.#renewal = dutyOf(context, {
      work: "renew the node's lease",
      follows: 'the cluster takes this node for dead and moves its pods elsewhere',
    });
    this.#deps = deps;
    this.#renewEveryMs = deps.settings.durationSeconds * 1000 * RENEW_FRACTION;
  }

  start(): void {
    this.#goOn();
  }

  tell(command: NodeLeaseProtocol['command']): void {
    switch (command.type) {
      case 'renew-due':
        return this.#goOn();
      case 'api-health-changed':
        // The cluster has waited for the lease long enough.
        if (command.health.state === 'up' && !this.#isFresh()) this.#goOn();
        return;
      case 'node-found':
        this.#busy = false;
        this.#state = { ...this.#state, nodeUid: command.uid };
        return this.#makeNext();
      case 'call-ended':
        return this.#callEnded(command);
      default:
        return assertNever(command, 'node lease command');
    }
  }

  ask(question: NodeLeaseQuestion): number | undefined {
    switch (question.type) {
      case 'lease-age':
        return this.#ageMs();
      default:
        return assertNever(question.type, 'node lease question');
    }
  }

  #ageMs(): number | undefined {
    const { renewedAt } = this.#state;
    return renewedAt === undefined ? undefined : elapsedMs(renewedAt, this.#context.clock.monotonic());
  }

  #isFresh(): boolean {
    const ageMs = this.#ageMs();
    return ageMs !== undefined && ageMs < this.#renewEveryMs / 2;
  }

  /** The lease's owner is looked up each time: the node object can be deleted and created again. */
  #goOn(): void {
    if (this.#busy) return;
    this.#cancelRenewal();
    this.#busy = true;
    const found = this.#context
      .ref(NODE_STATUS)
      .ask({ type: 'node-object' }, ASK_WITHIN)
      .then((node) => node?.metadata.uid)
      // An existing lease is renewed without the owner: liveness does not wait for the node status.
      .catch(() => this.#state.nodeUid)
      .then((uid) => this.#context.self.tell({ type: 'node-found', uid }));
    this.#context.supervise(found);
  }

  #makeNext(): void {
    const { clock, self } = this.#context;
    const call = nextLeaseCall(this.#state, this.#deps.settings, clock.now());
    if (call === undefined) return this.#waitFor(leaseBackOffMs(this.#state.failures + 1, this.#renewEveryMs));
    this.#busy = true;
    this.#call = call;
    const ended = this.#outcomeOf(call).then((outcome) =>
      self.tell(
        outcome.ok
          ? { type: 'call-ended', answer: outcome.value, fault: undefined }
          : { type: 'call-ended', answer: undefined, fault: outcome.fault },
      ),
    );
    this.#context.supervise(ended);
  }

  #outcomeOf(call: LeaseCall): Promise<ApiOutcome<Lease>> {
    const { api, settings } = this.#deps;
    switch (call.type) {
      case 'read':
        return api.get(leasePath(settings.nodeName), 'lease');
      case 'create':
        return api.create(leasesPath, call.lease, 'lease');
      case 'update':
        return api.update(leasePath(settings.nodeName), call.lease, 'lease');
      default:
        return assertNever(call, 'call about the lease');
    }
  }

  #callEnded({ answer, fault }: Extract<NodeLeaseProtocol['command'], { type: 'call-ended' }>): void {
    const call = this.#call;
    if (call === undefined) return;
    this.#busy = false;
    this.#call = undefined;
    const { clock, random } = this.#context;
    const before = this.#state;
    const { next, again } = afterLeaseCall(before, { call, answer, fault }, clock.monotonic());
    this.#state = next;
    // The first call of a new node finds no lease as a rule.
    if (fault === undefined || !isNotFound(fault)) judgeCall(this.#renewal, fault);
    if (again) return this.#makeNext();
    if (fault === undefined) return this.#waitFor(jitter(this.#renewEveryMs, JITTER, random));
    this.#waitFor(leaseRetryMs(fault, next.failures, this.#renewEveryMs));
  }

  #waitFor(delayMs: number): void {
    const { clock, self } = this.#context;
    this.#cancelRenewal();
    this.#cancelRenewal = clock.after(delayMs, () => self.tell({ type: 'renew-due' }));
  }
}
