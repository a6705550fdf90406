import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import type { ApiClient } from '../../src/api/api-client.ts';
import { podPath } from '../../src/api/api-path.ts';
import { isNotFound, type ApiOutcome } from '../../src/api/api-request.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import { neverBack } from '../../src/pod/status/earlier-status.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { ApiWrites } from './api-writes.ts';
import type { StatusMetrics } from './metrics.ts';
import type { StatusManagerProtocol, StatusManagerQuestion, StatusWrite, WriteFigures } from './protocol.ts';
import { statusChange } from './status-change.ts';
import { dutyOf, timedCall } from '../health-monitor/client.ts';
import { DutyOfParts } from '../../src/health/duty-of-parts.ts';

export interface StatusManagerDeps {
  /** Threads whose pod workers are asked to repeat their messages to an earlier incarnation. */
  readonly podThreads: readonly string[];
  /** `undefined` when the agent has no API server: only local readers see the statuses then. */
  readonly api: Pick<ApiClient, 'get' | 'patch' | 'delete'> | undefined;
  /** `undefined` when nothing is counted. */
  readonly metrics?: StatusMetrics;
}

const NO_WRITES: WriteFigures = { patches: 0, deletes: 0, gets: 0, failed: 0, waiting: 0 };

/** Keeps the status of every pod, for local readers and for the API. */
export class StatusManager implements Actor<StatusManagerProtocol> {
  readonly #context: ActorContext<StatusManagerProtocol>;
  readonly #writing: DutyOfParts<PodUid>;
  readonly #deps: StatusManagerDeps;
  readonly #statuses = new Map<PodUid, PodStatus>();
  readonly #lastVersion = new Map<PodUid, number>();
  readonly #writes: ApiWrites | undefined;
  #cancelTimer: () => void = () => {};
  #timerAt: MonotonicMs = Number.POSITIVE_INFINITY;

  constructor(context: ActorContext<StatusManagerProtocol>, deps: StatusManagerDeps) {
    this.#context = context;
    this.#writing = new DutyOfParts<PodUid>(
      dutyOf(context, {
        work: 'write pod statuses',
        follows: 'the cluster sees old statuses, and ended pods stay in the API',
        rhythm: 'on-demand',
      }),
    );
    this.#deps = deps;
    this.#writes = deps.api === undefined ? undefined : new ApiWrites((seconds) => deps.metrics?.written(seconds));
  }

  start(): void {
    for (const thread of this.#deps.podThreads) {
      this.#context
        .ref(hostAddress(thread))
        .tell({ type: 'broadcast', kind: 'pod-worker', command: { type: 'report-status' } });
    }
    // The pod manager sent the API's objects and the ended pods to an earlier incarnation.
    if (this.#context.restarted && this.#writes !== undefined) {
      this.#context.ref(POD_MANAGER).tell({ type: 'report-api-pods' });
    }
  }

  tell(command: StatusManagerProtocol['command']): void {
    const now = this.#context.clock.monotonic();
    switch (command.type) {
      case 'pod-status-changed': {
        if (this.#isOvertaken(command)) return;
        const status = this.#kept(command);
        this.#writes?.statusChanged(command.podUid, status, now);
        break;
      }
      case 'pod-finished': {
        const status = this.#kept(command);
        this.#writes?.finished(command.podUid, status, now);
        break;
      }
      case 'api-pod-changed':
        this.#writes?.objectChanged(command.podUid, command.object, now);
        break;
      case 'api-pod-gone':
        this.#writes?.objectGone(command.podUid, command.objectUid);
        break;
      case 'forget-pod':
        this.#forget(command);
        break;
      case 'forget-others':
        for (const uid of this.#statuses.keys()) if (!command.kept.has(uid)) this.#statuses.delete(uid);
        for (const uid of this.#lastVersion.keys()) if (!command.kept.has(uid)) this.#lastVersion.delete(uid);
        this.#writes?.forgetExcept(command.kept);
        break;
      case 'written':
        this.#written(command.write, command.outcome, now);
        break;
      case 'write-due':
        this.#timerAt = Number.POSITIVE_INFINITY;
        break;
      default:
        assertNever(command, 'status manager command');
    }
    this.#goOn(now);
    // A pod without another write is no trouble: its object is gone, or shows the status already.
    this.#writing.keep((uid) => this.#writes?.isPending(uid) === true);
  }

  ask(question: StatusManagerQuestion): PodStatus | undefined | ReadonlyMap<PodUid, PodStatus> | WriteFigures {
    switch (question.type) {
      case 'status-of-pod':
        return this.#statuses.get(question.podUid);
      case 'all-statuses':
        return this.#statuses;
      case 'write-figures':
        return this.#writes?.figures() ?? NO_WRITES;
      default:
        return assertNever(question, 'status manager question');
    }
  }

  #forget({ podUid, version, stays }: Extract<StatusManagerProtocol['command'], { type: 'forget-pod' }>): void {
    // The next worker of the pod has reported already.
    if (
      stays === true &&
      version !== undefined &&
      version < (this.#lastVersion.get(podUid) ?? Number.NEGATIVE_INFINITY)
    )
      return;
    this.#statuses.delete(podUid);
    this.#lastVersion.delete(podUid);
    if (stays === true) this.#writes?.startOver(podUid);
    else this.#writes?.forget(podUid);
  }

  #isOvertaken({
    podUid,
    version,
  }: Extract<StatusManagerProtocol['command'], { type: 'pod-status-changed' }>): boolean {
    if (version === undefined) return false;
    if (version <= (this.#lastVersion.get(podUid) ?? Number.NEGATIVE_INFINITY)) return true;
    this.#lastVersion.set(podUid, version);
    return false;
  }

  /** A worker that restarted may have lost what it had reported before. Users do not see it go back. */
  #kept(
    command: Extract<StatusManagerProtocol['command'], { type: 'pod-status-changed' | 'pod-finished' }>,
  ): PodStatus {
    const { podUid, pod } = command;
    const known = this.#statuses.get(podUid);
    const status = known === undefined ? command.status : neverBack(command.status, known);
    const change = statusChange(known, { pod, status });
    this.#statuses.set(podUid, status);
    if (change !== undefined) this.#context.log.info(change, 'pod status changed');
    return status;
  }

  #goOn(now: MonotonicMs): void {
    const { clock, self } = this.#context;
    const { api } = this.#deps;
    if (this.#writes === undefined || api === undefined) return;
    for (const write of this.#writes.next(now)) {
      // A pod's trace is its UID, so all work for the pod can be traced.
      const done = this.#call(api, write).then((outcome) => self.tell({ type: 'written', write, outcome }));
      this.#context.supervise(done);
    }
    const at = this.#writes.nextAt(now);
    if (at === undefined || at >= this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = clock.after(Math.max(1, at - now), () => self.tell({ type: 'write-due' }));
  }

  #call(api: StatusApi, write: StatusWrite): Promise<ApiOutcome<unknown>> {
    const { podUid, object, wanted } = write;
    const called = callFor(api, write);
    // A pod that is gone from the API needs no status; a server may say so by refusing to read it.
    if (wanted.type === 'get') return called;
    const what = `the ${wanted.type} of pod ${object.namespace}/${object.name}`;
    return timedCall(this.#writing.attempt(podUid, what), called, isNotFound);
  }

  #written(write: StatusWrite, outcome: ApiOutcome<unknown>, now: MonotonicMs): void {
    const trouble = this.#writes?.written(write, outcome, now);
    if (trouble === undefined) return;
    const { namespace, name } = write.object;
    if (trouble.type === 'unknown-field') {
      const { field } = trouble;
      this.#context.log.warn(
        { field },
        'the API server is older than this agent and does not know this field; dropping it from the status of every pod',
      );
      return;
    }
    const facts = { pod: `${namespace}/${name}`, err: trouble.fault.message };
    this.#context.log.warn(facts, 'the API server rejects the status or deletion of a pod; retrying in 10 s');
  }
}

type StatusApi = Pick<ApiClient, 'get' | 'patch' | 'delete'>;

function callFor(api: StatusApi, { object, wanted }: StatusWrite) {
  const { namespace, name } = object;
  switch (wanted.type) {
    case 'patch':
      return api.patch(podPath(namespace, name, 'status'), { type: 'strategic-merge', body: wanted.body }, 'status');
    case 'delete':
      return api.delete(podPath(namespace, name), wanted.body, 'status');
    case 'get':
      return api.get(podPath(namespace, name), 'status');
    default:
      return assertNever(wanted, 'status write');
  }
}
