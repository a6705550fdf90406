import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ShutdownNotices } from '../../src/host/shutdown-notices.ts';
import { totalSeconds, type ShutdownPeriod } from '../../src/node/shutdown/shutdown-plan.ts';
import { armShutdown, releaseLock, type HeldLock } from './arm-shutdown.ts';
import type { NodeShutdownCommand, NodeShutdownProtocol, NodeShutdownQuestion, ShutdownPhase } from './protocol.ts';
import { decide, type NodeShutdownState, type ShutdownEffect } from './state.ts';

export interface NodeShutdownDeps {
  readonly notices: ShutdownNotices;
  /** Outlives an incarnation: in the middle of a shutdown no lock can be had any more. */
  readonly held: HeldLock;
  /** None: a shutdown does not wait for pods, and nothing is looked for. */
  readonly periods: readonly ShutdownPeriod[];
  readonly listPods: () => Promise<readonly Pod[]>;
  /** Resolves when nothing of the pod runs any more and its volumes are gone, or with whatever keeps it from being known. */
  readonly endPod: (podUid: string, graceSeconds: number) => Promise<void>;
  /** Tells everybody whom it concerns that the node goes down, or that it does not. Told again to those who may have forgotten. */
  readonly announce: (shuttingDown: boolean) => void;
  readonly recordEvent: (message: string) => void;
  /** Keeps when a shutdown began and when its pods had ended, wall clock. */
  readonly keepTimes: (times: { readonly startTime: string; readonly endTime?: string }) => void;
}

const ANNOUNCE_EVERY_MS = 5_000;

/** Lets pods end in their order before the machine goes down. */
export class NodeShutdown implements Actor<NodeShutdownProtocol> {
  readonly #context: ActorContext<NodeShutdownProtocol>;
  readonly #deps: NodeShutdownDeps;
  #state: NodeShutdownState = { phase: 'off', run: 0 };
  #endWatch: () => void = () => {};
  #startTime = '';
  #saidOff = false;
  #cancelAnnouncement: () => void = () => {};

  constructor(context: ActorContext<NodeShutdownProtocol>, deps: NodeShutdownDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  start(): void {
    if (this.#deps.periods.length > 0) this.#context.self.tell({ type: 'arm' });
  }

  stop(): void {
    this.#endWatch();
    releaseLock(this.#deps.held);
  }

  tell(command: NodeShutdownCommand): void {
    const { next, effects } = decide(this.#state, command, this.#deps.periods);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
  }

  ask(question: NodeShutdownQuestion): ShutdownPhase {
    switch (question.type) {
      case 'shutdown-state': {
        const { phase } = this.#state;
        return phase === 'listing' || phase === 'ending-pods' ? 'shutting-down' : phase;
      }
      default:
        return assertNever(question.type, 'node shutdown question');
    }
  }

  #perform(effect: ShutdownEffect): void {
    const { clock, self, log } = this.#context;
    switch (effect.type) {
      case 'arm':
        if (effect.afterMs === 0) return this.#arm();
        return void clock.after(effect.afterMs, () => self.tell({ type: 'arm' }));
      case 'announce':
        log.info(
          {},
          effect.shuttingDown ? 'the machine is shutting down: pods are ended in order' : 'the shutdown was called off',
        );
        this.#deps.recordEvent(`Shutdown manager detected shutdown ${effect.shuttingDown ? 'event' : 'cancellation'}`);
        if (effect.shuttingDown) this.#keepTime();
        return this.#announce(effect.shuttingDown);
      case 'list-pods':
        return this.#context.supervise(this.#deps.listPods().then((pods) => self.tell({ type: 'pods-listed', pods })));
      case 'end-pods':
        for (const { uid, graceSeconds } of effect.pods) {
          const ended = this.#deps.endPod(uid, graceSeconds);
          this.#context.supervise(ended.then(() => self.tell({ type: 'pod-ended', podUid: uid, run: effect.run })));
        }
        return;
      case 'wait':
        return void clock.after(effect.ms, () =>
          self.tell({ type: 'group-due', group: effect.group, run: effect.run }),
        );
      case 'release-lock':
        log.info({}, 'pods have had their time: the machine may go down');
        this.#keepTime('ended');
        releaseLock(this.#deps.held);
        return;
      case 'off':
        // Once: a machine without it will not get it while it runs.
        if (!this.#saidOff) log.warn({}, `pods are not waited for at a shutdown of this machine: ${effect.detail}`);
        this.#saidOff = true;
        return;
      default:
        return assertNever(effect, 'node shutdown effect');
    }
  }

  /** Whoever was told may have started anew since. */
  #announce(shuttingDown: boolean): void {
    this.#deps.announce(shuttingDown);
    this.#cancelAnnouncement();
    if (!shuttingDown) return;
    this.#cancelAnnouncement = this.#context.clock.after(ANNOUNCE_EVERY_MS, () => this.#announce(true));
  }

  /** The watch comes first: what is announced from now on is heard, and what was announced before is asked for. */
  #arm(): void {
    const { self, clock } = this.#context;
    const { notices, periods } = this.#deps;
    this.#endWatch();
    this.#endWatch = notices.watch({
      announced: (shuttingDown) => self.tell({ type: 'shutdown-announced', shuttingDown }),
      lost: (detail) => self.tell({ type: 'notices-lost', detail }),
    });
    const armed = async (): Promise<void> => {
      const result = await armShutdown(notices, { neededSeconds: totalSeconds(periods), clock, held: this.#deps.held });
      if (!this.#context.alive()) return;
      if (!result.ok) {
        this.#endWatch();
        return self.tell({ type: 'not-armed', detail: result.detail });
      }
      self.tell({ type: 'armed', shuttingDown: result.shuttingDown });
    };
    this.#context.supervise(armed());
  }

  #keepTime(which: 'began' | 'ended' = 'began'): void {
    const time = new Date(this.#context.clock.now()).toISOString();
    if (which === 'began') this.#startTime = time;
    this.#deps.keepTimes(which === 'began' ? { startTime: time } : { startTime: this.#startTime, endTime: time });
  }
}
