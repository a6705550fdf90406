import type { ActorContext } from '../../src/actor/actor.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { plegProblem, RUNTIME_SILENT_MS } from '../../src/node/object/runtime-state.ts';
import { CRI_GATEWAY, type RuntimeHealth } from '../cri-gateway/protocol.ts';
import { PLEG } from '../pleg/protocol.ts';
import { describeRuntime, listImages } from './look-around.ts';
import type { Observations } from './observations.ts';
import type { NodeLook, NodeStatusProtocol } from './protocol.ts';

export interface FollowedRuntime {
  readonly context: ActorContext<NodeStatusProtocol>;
  readonly cri: CriClient;
  readonly maxImages: number;
  /** Where it is noted how the runtime is. */
  readonly seen: Observations;
}

/** Images are looked at more rarely than the rest: they seldom change, and cost more. */
const IMAGES_EVERY_MS = 30_000;
const IMAGES_AT_START_MS = 1_000;
const ASK_WITHIN_MS = 5_000;
/** A PLEG that is ill, or has only just begun, is asked again so soon: the node waits for it. */
const PLEG_AGAIN_MS = 200;

/** Finds out how the runtime and PLEG are, and tells node-status whatever is new of them. */
export class RuntimeFollower {
  readonly #runtime: FollowedRuntime;
  #imagesListedAt: number | undefined;
  #cancelAsk: () => void = () => {};

  constructor(runtime: FollowedRuntime) {
    this.#runtime = runtime;
  }

  /** Changes are told by the gateway; how the runtime is at the start has to be asked. */
  ask(): void {
    const { context } = this.#runtime;
    const asked = context
      .ref(CRI_GATEWAY)
      .ask({ type: 'runtime-health' }, { deadlineMs: ASK_WITHIN_MS })
      .then((health) => context.self.tell({ type: 'runtime-health-changed', health }))
      // A gateway that starts anew tells its health by itself.
      .catch(() => {});
    context.supervise(asked);
  }

  /** What it did not answer is asked again. */
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
      // It may be back before anybody has to know.
      clock.after(RUNTIME_SILENT_MS, () => self.tell({ type: 'try-again' }));
      return;
    }
    const { name, version } = health.runtime;
    seen.runtime = { ...seen.runtime, name, version };
    context.supervise(this.#describe());
  }

  /** Its health does not say all. The images come with the first status, unless they keep it waiting. */
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

  /** Undefined: they are not to be listed yet, or the runtime does not say. */
  async imagesIfDue(): Promise<NodeLook['images']> {
    const { context, seen } = this.#runtime;
    const isDue = context.clock.monotonic() - (this.#imagesListedAt ?? 0) >= IMAGES_EVERY_MS;
    return isDue && seen.runtime.answers ? this.#listImages(ASK_WITHIN_MS) : undefined;
  }

  async #listImages(timeoutMs: number): Promise<NodeLook['images']> {
    const { context, cri, maxImages } = this.#runtime;
    if (maxImages === 0) return [];
    this.#imagesListedAt = context.clock.monotonic();
    return listImages(cri, { atMost: maxImages, timeoutMs });
  }

  /** Asks PLEG how it is, and again until it is well. */
  askPleg(): void {
    const { context } = this.#runtime;
    const { self } = context;
    const asked = context
      .ref(PLEG)
      .ask({ type: 'pleg-health' }, { deadlineMs: ASK_WITHIN_MS })
      .then(({ healthy, lastRelistAgeMs }) =>
        self.tell({ type: 'pleg-looked', problem: plegProblem(healthy, lastRelistAgeMs) }),
      )
      // It is being started again. If it stays away, its thread or the agent is replaced.
      .catch(() => {});
    context.supervise(asked);
  }

  plegLooked(problem: string | undefined): void {
    const { context, seen } = this.#runtime;
    seen.plegProblem = problem;
    seen.plegWasWell ||= problem === undefined;
    this.#cancelAsk();
    if (problem !== undefined) this.#cancelAsk = context.clock.after(PLEG_AGAIN_MS, () => this.askPleg());
  }
}
