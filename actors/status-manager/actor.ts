import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress, type HostProtocol } from '../../src/actor/host-protocol.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import type { StatusManagerCommand, StatusManagerProtocol, StatusManagerQuestion } from './protocol.ts';
import { newsIn } from './state.ts';

export interface StatusManagerDeps {
  /** Threads whose pod workers are asked to repeat what they said to an earlier incarnation. */
  readonly podThreads: readonly string[];
}

/** Keeps the status of every pod, for whoever asks. */
export class StatusManager implements Actor<StatusManagerProtocol> {
  readonly #context: ActorContext<StatusManagerProtocol>;
  readonly #deps: StatusManagerDeps;
  readonly #statuses = new Map<PodUid, PodStatus>();

  constructor(context: ActorContext<StatusManagerProtocol>, deps: StatusManagerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  start(): void {
    for (const thread of this.#deps.podThreads) {
      this.#context
        .ref<HostProtocol>(hostAddress(thread))
        .tell({ type: 'tell-all', kind: 'pod-worker', command: { type: 'report-status' } });
    }
  }

  tell(command: StatusManagerCommand): void {
    switch (command.type) {
      case 'pod-status-changed': {
        const news = newsIn(this.#statuses.get(command.podUid), command);
        this.#statuses.set(command.podUid, command.status);
        if (news !== undefined) this.#context.log.info(news, 'pod status changed');
        return;
      }
      case 'forget-pod':
        this.#statuses.delete(command.podUid);
        return;
      case 'forget-others':
        for (const uid of this.#statuses.keys()) if (!command.kept.has(uid)) this.#statuses.delete(uid);
        return;
      default:
        assertNever(command, 'status manager command');
    }
  }

  ask(question: StatusManagerQuestion): PodStatus | undefined | ReadonlyMap<PodUid, PodStatus> {
    switch (question.type) {
      case 'status-of-pod':
        return this.#statuses.get(question.podUid);
      case 'all-statuses':
        return this.#statuses;
      default:
        return assertNever(question, 'status manager question');
    }
  }
}
