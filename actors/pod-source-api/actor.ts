import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { Reflector, type ObjectChanges } from '../../src/api/reflector/reflector.ts';
import type { ReflectorInterruption } from '../../src/api/reflector/reflector-state.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { RecordEvent } from '../../src/kube/event.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import { PodSourceSession, SHOW_LIFE_EVERY_MS } from '../../src/pod/source/pod-source-session.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { PodReader, uidIn, unreadPodEvent } from './pod-reader.ts';
import type { PodSourceApiProtocol } from './protocol.ts';
import type { Duty } from '../../src/health/duty.ts';
import { dutyOf, followingDuty } from '../health-monitor/client.ts';

export interface PodSourceApiDeps {
  readonly nodeName: string;
  readonly count: (what: ReflectorInterruption) => void;
  readonly recordEvent: RecordEvent;
}

const LIST_TIMEOUT_MS = 60_000;

/** Follows the pods that the API server binds to this node. */
export class PodSourceApi implements Actor<PodSourceApiProtocol> {
  readonly #context: ActorContext<PodSourceApiProtocol>;
  readonly #reader: PodReader;
  readonly #pods: Reflector<Pod>;
  readonly #session: PodSourceSession;
  /** Before the first complete list, the node knows no pod of the API, and cannot run any. */
  readonly #listing: Duty;
  readonly #watching: Duty;

  constructor(context: ActorContext<PodSourceApiProtocol>, { nodeName, count, recordEvent }: PodSourceApiDeps) {
    this.#context = context;
    this.#listing = dutyOf(context, {
      work: 'list the pods of this node for the first time',
      follows: 'no pod of the API runs here',
      keepsNodeFromReady: true,
    });
    this.#watching = dutyOf(context, {
      work: 'follow the pods of this node in the API',
      follows: 'pods run on as last seen, and no new pod starts',
    });
    this.#session = new PodSourceSession('api', context.incarnation);
    this.#reader = new PodReader(nodeName);
    const gateway = context.ref(API_GATEWAY);
    const subscriber = context.self.address;
    this.#pods = new Reflector<Pod>({
      name: 'pods',
      path: '/api/v1/pods',
      query: { fieldSelector: `spec.nodeName=${nodeName}` },
      check: {
        problemOf: (object) => this.#reader.problemOf(object, (uid) => this.#pods.get(uid)),
        keyIn: uidIn,
        leftOut(object, problem) {
          const event = unreadPodEvent(object, problem);
          if (event !== undefined) recordEvent(event);
        },
      },
      project: (object) => this.#reader.read(object, (uid) => this.#pods.get(uid), context.clock.now()),
      keyOf: ({ metadata }) => metadata.uid,
      changed: (changes) => this.#tell(changes),
      call: apiGatewayClient(context, LIST_TIMEOUT_MS),
      openWatch: (watch, path) => gateway.tell({ type: 'open-watch', watch, path, subscriber }),
      closeWatch: (watch) => gateway.tell({ type: 'close-watch', watch, subscriber }),
      supervise: (work) => context.supervise(work),
      clock: context.clock,
      random: context.random,
      log: context.log,
      count,
      following: followingDuty(() => (this.#pods.complete ? this.#watching : this.#listing)),
    });
  }

  start(): void {
    this.#pods.begin();
    this.#showLifeLater();
  }

  stop(): void {
    this.#pods.end();
  }

  tell(command: PodSourceApiProtocol['command']): void {
    switch (command.type) {
      case 'send-all':
        this.#session.begin();
        return this.#tell({ set: [...this.#pods.objects()], gone: [] });
      case 'heartbeat-due':
        this.#showLifeLater();
        return this.#say(this.#session.showLife());
      case 'watch-events':
      case 'watch-ended':
        return this.#pods.received(command);
      case 'api-health-changed':
        if (command.health.state === 'up') this.#pods.serverUp();
        return;
      default:
        return assertNever(command, 'API source command');
    }
  }

  #showLifeLater(): void {
    this.#context.clock.after(SHOW_LIFE_EVERY_MS, () => this.#context.self.tell({ type: 'heartbeat-due' }));
  }

  #tell({ set, gone }: ObjectChanges<Pod>): void {
    const change = this.#session.say({
      set,
      gone: gone.map(({ metadata }) => podUid(metadata.uid)),
      complete: this.#pods.complete,
    });
    this.#say(change);
  }

  #say(change: PodSourceChange | undefined): void {
    if (change !== undefined) this.#context.ref(POD_MANAGER).tell(change);
  }
}
