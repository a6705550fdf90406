import type { Clock } from '../../actor/clock.ts';
import type { RunningAgent } from '../run/start-agent.ts';
import { type Pod, podKey } from '../../kube/pod.ts';
import type { DevView } from './dev-view.ts';
import type { LogFollower } from './log-follower.ts';
import { allSettled, unreadyReasons } from './pod-readiness.ts';
import { inOrder } from '../get/pod-table.ts';
import { exitCodes } from '../../agent/process-exit.ts';

export interface DevSessionDeps {
  readonly agent: Omit<RunningAgent, 'keepCompiled'>;
  readonly view: DevView;
  readonly clock: Clock;
  readonly follower: Pick<LogFollower, 'warnings'>;
  /** Plays what real containers would do by themselves; does nothing on a real runtime. */
  readonly simulate: (pods: readonly Pod[]) => Promise<unknown>;
  /** How many pods there should be. */
  readonly manifests: number;
}

/** What can end a session. */
export interface DevEnds {
  readonly stopAsked: Promise<void>;
  /** Resolves when a part that this session started has ended by itself, with what it was and why. */
  readonly partEnded: Promise<string>;
  readonly readyWithinMs: number | undefined;
}

type End =
  | { readonly type: 'asked' }
  | { readonly type: 'ready' }
  | { readonly type: 'too-late' }
  | { readonly type: 'failed'; readonly reason: string };

const LOOK_EVERY_MS = 200;
/** A pod's usual grace, and the time to take away what it had. */
const STOPPED_SOON_MS = 40_000;

/** Shows the pods of a running agent until something ends that, then stops them. */
export class DevSession {
  readonly #deps: DevSessionDeps;
  #pods: readonly Pod[] = [];
  readonly #over = Promise.withResolvers<undefined>();
  #isOver = false;

  constructor(deps: DevSessionDeps) {
    this.#deps = deps;
  }

  /** Returns the exit code, once the pods are stopped. Rejects if they cannot be. */
  async run(ends: DevEnds): Promise<number> {
    const { agent, view, clock } = this.#deps;
    const ready = Promise.withResolvers<End>();
    const watching = this.#watch(() => ready.resolve({ type: 'ready' }));
    const end = await this.#ended(ends, ready.promise);
    const count = this.#pods.length;
    view.say([
      ...this.#describe(end, ends),
      ...(count === 0 ? [] : [`stopping ${count === 1 ? 'one pod' : `${count} pods`} …`]),
    ]);
    const noneLeft = clock.after(STOPPED_SOON_MS, () => view.say(this.#whatIsLeft()));
    await agent.stop({ pods: 'stop' });
    noneLeft();
    this.#isOver = true;
    // A question that was under way may wait for an agent that is no more.
    this.#over.resolve(undefined);
    await watching;
    view.say(count === 0 ? [] : ['all pods are stopped']);
    return end.type === 'too-late' ? exitCodes.userError : end.type === 'failed' ? exitCodes.agentFailed : exitCodes.ok;
  }

  #ended({ stopAsked, partEnded, readyWithinMs }: DevEnds, ready: Promise<End>): Promise<End> {
    const { agent, clock } = this.#deps;
    const failure = (reason: string): End => ({ type: 'failed', reason });
    const ends: Promise<End>[] = [
      stopAsked.then(() => ({ type: 'asked' })),
      agent.failed.then((reason) => failure(`the agent failed: ${reason}`)),
      partEnded.then(failure),
    ];
    if (readyWithinMs !== undefined) {
      ends.push(ready, new Promise((resolve) => clock.after(readyWithinMs, () => resolve({ type: 'too-late' }))));
    }
    return Promise.race(ends);
  }

  #describe(end: End, { readyWithinMs = 0 }: DevEnds): readonly string[] {
    switch (end.type) {
      case 'asked':
        return [''];
      case 'ready':
        return ['all pods are ready'];
      case 'too-late': {
        const reasons = unreadyReasons(this.#pods, this.#deps.manifests);
        return [`not all pods are ready after ${readyWithinMs / 1000} s:`, ...reasons.map((reason) => `  ${reason}`)];
      }
      case 'failed':
        return [end.reason];
      default:
        return end satisfies never;
    }
  }

  #whatIsLeft(): readonly string[] {
    const left = inOrder(this.#pods).map(podKey).join(', ');
    return [`still there after ${STOPPED_SOON_MS / 1000} s: ${left}; the log says why. Ctrl-C leaves without waiting`];
  }

  /** Looks again and again until the session is over; an agent that does not answer just now has nothing new to show. */
  async #watch(settled: () => void): Promise<void> {
    const { agent, view, clock, follower, manifests, simulate } = this.#deps;
    while (!this.#isOver) {
      const pods = await Promise.race([agent.admin.pods().catch(() => undefined), this.#over.promise]);
      view.say(follower.warnings());
      if (pods !== undefined) {
        this.#pods = pods;
        view.show(pods, clock.now());
        if (allSettled(pods, manifests)) settled();
        await simulate(pods);
      }
      await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
    }
    view.say(follower.warnings());
  }
}
