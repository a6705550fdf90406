import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { ShutdownNotices } from '../../src/host/shutdown-notices.ts';
import { totalSeconds, type ShutdownPeriod } from '../../src/node/shutdown/shutdown-plan.ts';
import type { Duty } from '../../src/health/duty.ts';
import { dutyOf } from '../health-monitor/client.ts';
import { acquireShutdownLock, releaseLock, type HeldLock } from './acquire-shutdown-lock.ts';
import type { NodeShutdownProtocol, NodeShutdownQuestion, ShutdownPhase } from './protocol.ts';
import { decide, type NodeShutdownState, type ShutdownEffect } from './state.ts';

export interface NodeShutdownDeps {
  readonly notices: ShutdownNotices;
  /** Outlives an incarnation: during a shutdown no lock can be acquired any more. */
  readonly held: HeldLock;
  /** Empty: a shutdown does not wait for pods, and the actor does nothing. */
  readonly periods: readonly ShutdownPeriod[];
  readonly listPods: () => Promise<readonly Pod[]>;
  /** Resolves when nothing of the pod runs and its volumes are gone, or when its end cannot be determined. */
  readonly endPod: (podUid: string, graceSeconds: number) => Promise<void>;
  /**
   * Notifies the pod manager and node status that the node shuts down, or that the shutdown was cancelled. Repeated,
   * since a receiver may have restarted.
   */
  readonly announce: (shuttingDown: boolean) => void;
  readonly recordEvent: (message: string) => void;
  /** Records the begin of a shutdown and the end of its pods, in wall-clock time. */
  readonly keepTimes: (times: { readonly startTime: string; readonly endTime?: string }) => void;
}

const ANNOUNCE_EVERY_MS = 5_000;

/** Ends pods in order of priority before the machine shuts down. */
export class NodeShutdown implements Actor<NodeShutdownProtocol> {
  readonly #context: ActorContext<NodeShutdownProtocol>;
  readonly #deps: NodeShutdownDeps;
  #state: NodeShutdownState = { phase: 'off', run: 0 };
  #endWatch: () => void = () => {};
  #startTime = '';
  #saidOff = false;
  readonly #delaying: Duty;
  #cancelAnnouncement: () => void = () => {};

  constructor(context: ActorContext<NodeShutdownProtocol>, deps: NodeShutdownDeps) {
    this.#context = context;
    this.#delaying = dutyOf(context, {
      work: 'delay shutdowns of the machine',
      follows: 'a shutdown will not wait for pods',
      isLoggedByActor: true,
    });
    this.#deps = deps;
  }

  start(): void {
    if (this.#deps.periods.length > 0) this.#context.self.tell({ type: 'acquire-lock' });
  }

  stop(): void {
    this.#endWatch();
    releaseLock(this.#deps.held);
  }

  tell(command: NodeShutdownProtocol['command']): void {
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
      case 'acquire-lock':
        if (effect.afterMs === 0) return this.#acquireLock();
        return void clock.after(effect.afterMs, () => self.tell({ type: 'acquire-lock' }));
      case 'announce':
        log.info(
          {},
          effect.shuttingDown
            ? 'the machine is shutting down; pods are ended in order of priority'
            : 'the shutdown was cancelled',
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
        log.info({}, 'pods have ended, or their time is over; the machine may shut down');
        this.#keepTime('ended');
        releaseLock(this.#deps.held);
        return;
      case 'off':
        // Logged once: a machine without shutdown inhibition will not gain it while it runs.
        if (!this.#saidOff)
          log.warn({}, `graceful node shutdown is off: ${effect.detail}; a shutdown will not wait for pods`);
        this.#saidOff = true;
        return;
      default:
        return assertNever(effect, 'node shutdown effect');
    }
  }

  /** Repeats the announcement: a receiver may have restarted. */
  #announce(shuttingDown: boolean): void {
    this.#deps.announce(shuttingDown);
    this.#cancelAnnouncement();
    if (!shuttingDown) return;
    this.#cancelAnnouncement = this.#context.clock.after(ANNOUNCE_EVERY_MS, () => this.#announce(true));
  }

  /** The watch is opened first: it delivers later announcements, and the state from before is read after that. */
  #acquireLock(): void {
    const { self, clock } = this.#context;
    const { notices, periods } = this.#deps;
    this.#endWatch();
    this.#endWatch = notices.watch({
      announced: (shuttingDown) => self.tell({ type: 'shutdown-announced', shuttingDown }),
      lost: (detail) => self.tell({ type: 'shutdown-watch-lost', detail }),
    });
    const attempt = this.#delaying.attempt('systemd-logind');
    const acquired = async (): Promise<void> => {
      const result = await acquireShutdownLock(notices, {
        neededSeconds: totalSeconds(periods),
        clock,
        held: this.#deps.held,
      });
      if (!this.#context.alive()) return;
      if (result.ok) attempt.worked();
      else attempt.failed(result.detail);
      if (!result.ok) {
        this.#endWatch();
        return self.tell({ type: 'lock-failed', detail: result.detail });
      }
      self.tell({ type: 'lock-acquired', shuttingDown: result.shuttingDown });
    };
    this.#context.supervise(acquired());
  }

  #keepTime(which: 'began' | 'ended' = 'began'): void {
    const time = new Date(this.#context.clock.now()).toISOString();
    if (which === 'began') this.#startTime = time;
    this.#deps.keepTimes(which === 'began' ? { startTime: time } : { startTime: this.#startTime, endTime: time });
  }
}
