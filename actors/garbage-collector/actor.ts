import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { POD_MANAGER, type PodsOnNode } from '../pod-manager/protocol.ts';
import { budget, type Budget } from './budget.ts';
import { collectContainers, type ContainerTools } from './collect-containers.ts';
import { collectDirectories, type DirectoryTools } from './collect-directories.ts';
import { KnownImages, type ImageTools } from './collect-images.ts';
import { PassFailed } from './list-runtime.ts';
import type { GarbageCollectorProtocol, GarbageCollectorQuestion, Pass, PassOutcome, Reclaimed } from './protocol.ts';
import { afterPass, noHistory, passTimes, type PassHistory } from './state.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { Duty } from '../../src/health/duty.ts';
import { dutyOf } from '../health-monitor/client.ts';

type Own = 'podsOnNode' | 'now' | 'breathe';

export interface GarbageCollectorDeps {
  readonly containers: Omit<ContainerTools, Own>;
  readonly images: Omit<ImageTools, Own>;
  readonly directories: Omit<DirectoryTools, Own>;
}

const passes: readonly Pass[] = ['containers', 'images', 'directories'];
const ASK_WITHIN_MS = 30_000;
/** Limits of one periodic pass, so that other work of the thread gets its turn. */
const PER_PASS = { atMost: 500, withinMs: 20_000 };
/** Limits when the eviction manager waits, and the node is short of disk. */
const WHEN_ASKED = { atMost: 100_000, withinMs: 110_000 };

const NO_PODS_KNOWN: PodsOnNode = { knowsAll: false, pods: [] };

/** Removes what no pod needs any more: dead containers and sandboxes, their logs, images, directories of pods. */
export class GarbageCollector implements Actor<GarbageCollectorProtocol> {
  readonly #context: ActorContext<GarbageCollectorProtocol>;
  readonly #duties: Readonly<Record<Pass, Duty>>;
  readonly #containers: ContainerTools;
  readonly #directories: DirectoryTools;
  readonly #images: KnownImages;
  readonly #nodeEvent: ImageTools['nodeEvent'];
  readonly #history = new Map<Pass, PassHistory>();
  /** The latest pass of each kind; the next pass of that kind begins after its end. */
  readonly #latest = new Map<Pass, Promise<unknown>>();

  constructor(context: ActorContext<GarbageCollectorProtocol>, deps: GarbageCollectorDeps) {
    this.#context = context;
    const follows = 'they stay on the disk';
    this.#duties = {
      containers: dutyOf(context, { work: 'remove dead containers', follows }),
      images: dutyOf(context, { work: 'remove unused images', follows }),
      directories: dutyOf(context, { work: 'remove directories of pods that are gone', follows }),
    };
    const own = {
      podsOnNode: () => this.#podsOnNode(),
      now: () => context.clock.now(),
      breathe: () => new Promise<void>((resolve) => void context.clock.after(1, resolve)),
    };
    this.#containers = { ...deps.containers, ...own };
    this.#directories = { ...deps.directories, ...own };
    this.#images = new KnownImages({ ...deps.images, ...own });
    this.#nodeEvent = deps.images.nodeEvent;
  }

  start(): void {
    for (const pass of passes) this.#after(pass, passTimes[pass].firstMs);
  }

  tell(command: GarbageCollectorProtocol['command']): void {
    switch (command.type) {
      case 'pass-due':
        return this.#begin(command.pass);
      case 'pass-ended':
        return this.#ended(command.pass, command.outcome);
      default:
        return assertNever(command, 'garbage collector command');
    }
  }

  ask(question: GarbageCollectorQuestion): Promise<Reclaimed> {
    switch (question.type) {
      case 'delete-unused-containers':
        return this.#inTurn('containers', () =>
          collectContainers(this.#containers, { budget: this.#budget(WHEN_ASKED), shortOfDisk: true }),
        ).then(asReclaimed);
      case 'delete-unused-images':
        return this.#inTurn('images', () => this.#images.removeUnused(this.#budget(WHEN_ASKED))).then(asReclaimed);
      default:
        return assertNever(question, 'garbage collector question');
    }
  }

  #after(pass: Pass, delayMs: number): void {
    this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'pass-due', pass }));
  }

  #begin(pass: Pass): void {
    const { self } = this.#context;
    const run = this.#inTurn(pass, () => this.#run(pass, this.#budget(PER_PASS)));
    this.#context.supervise(run.then((outcome) => self.tell({ type: 'pass-ended', pass, outcome })));
  }

  #budget(limits: typeof PER_PASS): Budget {
    return budget(this.#context.clock, limits);
  }

  #run(pass: Pass, room: Budget): Promise<PassOutcome> {
    switch (pass) {
      case 'containers':
        return collectContainers(this.#containers, { budget: room, shortOfDisk: false });
      case 'images':
        return this.#images.collect(room);
      case 'directories':
        return collectDirectories(this.#directories, room);
      default:
        return assertNever(pass, 'pass');
    }
  }

  /**
   * Runs after the pass of the same kind that is under way. `PassFailed` becomes an outcome; any other error is a
   * defect.
   */
  #inTurn(pass: Pass, work: () => Promise<PassOutcome>): Promise<PassOutcome> {
    const run = async (): Promise<PassOutcome> => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof PassFailed) return { ok: false, problem: error.message };
        throw error;
      }
    };
    const before = this.#latest.get(pass);
    const turn = before === undefined ? run() : before.then(run);
    this.#latest.set(pass, turn);
    return turn;
  }

  #ended(pass: Pass, outcome: PassOutcome): void {
    const { next, againInMs, event } = afterPass(pass, outcome, this.#history.get(pass) ?? noHistory);
    this.#history.set(pass, next);
    if (outcome.ok) this.#duties[pass].worked();
    else this.#duties[pass].failed(outcome.problem);
    if (event !== undefined) this.#nodeEvent(event);
    this.#after(pass, againInMs);
  }

  /** While the pod manager does not answer, no pod is known, and nothing counts as orphaned. */
  async #podsOnNode(): Promise<PodsOnNode> {
    const manager = this.#context.ref(POD_MANAGER);
    return answerOr(manager.ask({ type: 'pods-on-node' }, { deadlineMs: ASK_WITHIN_MS }), () => NO_PODS_KNOWN);
  }
}

const asReclaimed = (outcome: PassOutcome): Reclaimed => (outcome.ok ? { ok: true } : outcome);
