import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import type { CriClient } from '../../src/cri/client.ts';
import type { ContainerImage } from '../../src/kube/node.ts';
import { plegProblem, RUNTIME_SILENT_MS } from '../../src/node/object/runtime-state.ts';
import { CRI_GATEWAY, type RuntimeHealth } from '../cri-gateway/protocol.ts';
import { PLEG } from '../pleg/protocol.ts';
import { describeRuntime, listImages } from './observe-node.ts';
import type { Observations } from './observations.ts';
import type { NodeStatusProtocol } from './protocol.ts';

export interface FollowedRuntime {
  readonly context: ActorContext<NodeStatusProtocol>;
  readonly cri: CriClient;
  readonly maxImages: number;
  /** Where the runtime's state is recorded. */
  readonly seen: Observations;
}

/** Images are listed less often: they seldom change, and listing them costs more. */
const IMAGES_EVERY_MS = 30_000;
const IMAGES_AT_START_MS = 1_000;
const ASK_WITHIN_MS = 5_000;
/**
 * The wait before PLEG is asked again while it is unhealthy or has only just started: the node's readiness depends on
 * PLEG.
 */
const PLEG_AGAIN_MS = 200;

/** Asks the runtime and PLEG for their health, and reports changes to node-status. */
export class RuntimeFollower {
  readonly #runtime: FollowedRuntime;
  #imagesListedAt: MonotonicMs | undefined;
  #cancelAsk: () => void = () => {};

  constructor(runtime: FollowedRuntime) {
    this.#runtime = runtime;
  }

  /** The gateway announces changes; the health at the start must be asked. */
  ask(): void {
    const { context } = this.#runtime;
    const asked = context
      .ref(CRI_GATEWAY)
      .ask({ type: 'runtime-health' }, { deadlineMs: ASK_WITHIN_MS })
      .then((health) => context.self.tell({ type: 'runtime-health-changed', health }))
      // A restarted gateway announces the runtime's health by itself.
      .catch(() => {});
    context.supervise(asked);
  }

  /** Asks again if the runtime's last answer is missing. */
  askAgain(): void {
    const { name, answers } = this.#runtime.seen.runtime;
    if (name !== '' && !answers) this.ask();
  }

  healthChanged(health: RuntimeHealth): void {
    const { context, seen } = this.#runtime;
    const { clock, self } = context;
    if (health.state === 'connecting') return;
    if (health.state === 'down') {
      if (!seen.runtime.answers) return;
      seen.runtime = { ...seen.runtime, answers: false, lastAnswerAt: clock.monotonic() };
      // The runtime may be back before its silence must be reported.
      clock.after(RUNTIME_SILENT_MS, () => self.tell({ type: 'retry-due' }));
      return;
    }
    const { name, version } = health.runtime;
    seen.runtime = { ...seen.runtime, name, version };
    context.supervise(this.#describe());
  }

  /** Reads what the health does not contain. Images are included in the first status, unless listing takes too long. */
  async #describe(): Promise<void> {
    const { context, cri, seen } = this.#runtime;
    const isFirst = seen.runtime.lastAnswerAt === undefined;
    const [description, images] = await Promise.all([
      describeRuntime(cri),
      isFirst ? this.#listImages(IMAGES_AT_START_MS) : undefined,
    ]);
    if (description === undefined || !context.alive()) return;
    seen.runtime = { ...seen.runtime, answers: true, lastAnswerAt: context.clock.monotonic() };
    context.self.tell({ type: 'runtime-described', description, images });
  }

  /** `undefined` when images are not due yet, or the runtime does not answer. */
  async imagesIfDue(): Promise<readonly ContainerImage[] | undefined> {
    const { context, seen } = this.#runtime;
    const isDue = context.clock.monotonic() - (this.#imagesListedAt ?? 0) >= IMAGES_EVERY_MS;
    return isDue && seen.runtime.answers ? this.#listImages(ASK_WITHIN_MS) : undefined;
  }

  async #listImages(timeoutMs: number): Promise<readonly ContainerImage[] | undefined> {
    const { context, cri, maxImages } = this.#runtime;
    if (maxImages === 0) return [];
    this.#imagesListedAt = context.clock.monotonic();
    return listImages(cri, { atMost: maxImages, timeoutMs });
  }

  /** Asks PLEG for its health, and repeats until PLEG is healthy. */
  askPleg(): void {
    const { context } = this.#runtime;
    const { self } = context;
    const asked = context
      .ref(PLEG)
      .ask({ type: 'pleg-health' }, { deadlineMs: ASK_WITHIN_MS })
      .then(({ healthy, lastRelistAgeMs }) =>
        self.tell({ type: 'pleg-health-read', problem: plegProblem(healthy, lastRelistAgeMs) }),
      )
      // PLEG is restarting. If PLEG stays down, the supervisor replaces its thread or the agent.
      .catch(() => {});
    context.supervise(asked);
  }

  plegRelisted(problem: string | undefined): void {
    const { context, seen } = this.#runtime;
    seen.plegProblem = problem;
    seen.plegWasWell ||= problem === undefined;
    this.#cancelAsk();
    if (problem !== undefined) this.#cancelAsk = context.clock.after(PLEG_AGAIN_MS, () => this.askPleg());
  }
}
