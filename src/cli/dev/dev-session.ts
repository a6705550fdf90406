import type { Clock } from '../../actor/clock.ts';
import type { RunningAgent } from '../run/start-agent.ts';
import { type Pod, podKey } from '../../kube/pod.ts';
import type { DevView } from './dev-view.ts';
import type { LogFollower } from './log-follower.ts';
import { allSettled, unreadyReasons } from './pod-readiness.ts';
import { inOrder } from '../get/pod-table.ts';
import { exitCodes } from '../../agent/process-exit.ts';

export interface DevSessionDeps {
  readonly agent: Omit<RunningAgent, 'keepCompiled' | 'endThreads' | 'healthProblem'>;
  readonly view: DevView;
  readonly clock: Clock;
  readonly follower: Pick<LogFollower, 'warnings'>;
  /** Simulates the work that real containers do by themselves. Has no effect on a real runtime. */
  readonly simulate: (pods: readonly Pod[]) => Promise<unknown>;
  /** The expected number of pods. */
  readonly manifests: number;
}

/** The events that can end a session. */
export interface DevEnds {
  readonly stopAsked: Promise<void>;
  /** Resolves when a part that this session started has ended by itself, with its name and the reason. */
  readonly partEnded: Promise<string>;
  readonly readyWithinMs: number | undefined;
}

type End =
  | { readonly type: 'asked' }
  | { readonly type: 'ready' }
  | { readonly type: 'too-late' }
  | { readonly type: 'failed'; readonly reason: string };

const LOOK_EVERY_MS = 200;
/** A pod's usual grace period, plus time to remove its resources. */
const STOPPED_SOON_MS = 40_000;

/** Shows the pods of a running agent until the session ends, then stops them. */
export class DevSession {
  readonly #deps: DevSessionDeps;
  #pods: readonly Pod[] = [];
  readonly #over = Promise.withResolvers<undefined>();
  #isOver = false;

  constructor(deps: DevSessionDeps) {
    this.#deps = deps;
  }

  /** Returns the exit code, once the pods are stopped. Rejects if they cannot be stopped. */
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
    // A request in progress may wait for an agent that is gone.
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
    return [`not stopped after ${STOPPED_SOON_MS / 1000} s: ${left}; the log says why. Ctrl-C exits without waiting`];
  }

  /** Polls until the session is over. When the agent does not answer, the view stays as it is. */
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
