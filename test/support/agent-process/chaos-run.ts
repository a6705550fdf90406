import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { signal } from '../containerd/leftovers.ts';
import type { ChaosFault, ChaosStep, Change } from './chaos-plan.ts';
import { manifestOf, slotName } from './chaos-pods.ts';
import type { NodeUnderTest } from './node-under-test.ts';
import { onNode } from './observe-pods.ts';
import type { InvariantWatch } from './watch-invariants.ts';

/** An agent that is just starting cannot be made to fail: it is asked again until it can. */
const ASK_AGAIN_MS = 100;
const GIVE_UP_AFTER_MS = 60_000;

/** Returns how long a part of the agent is away, at the least: until its heartbeat is missed, or it has restarted. */
function helplessMs(fault: ChaosFault): number {
  if (fault.do === 'kill-agent') return 5_000;
  if (fault.do !== 'fail-thread') return 0;
  return fault.how === 'hang' || fault.how === 'wait' ? 15_000 : 3_000;
}

/** The pods that are wanted, by slot, and everything that is done to the node while it is to keep them. */
export class ChaosRun {
  readonly #node: NodeUnderTest;
  readonly #slots: number;
  /** Revision by slot. A missing slot is empty. */
  readonly #wanted = new Map<number, number>();
  readonly #changing = new Map<number, Promise<unknown>>();
  readonly #done = new Map<string, number>();
  #revision = 0;
  #asked = 0;

  constructor(node: NodeUnderTest, slots: number) {
    this.#node = node;
    this.#slots = slots;
  }

  get wanted(): ReadonlyMap<number, number> {
    return this.#wanted;
  }

  /** How many faults of each kind were injected. */
  get done(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#done);
  }

  get faults(): number {
    return [...this.#done].reduce(
      (sum, [what, count]) => (what === 'write' || what === 'remove' ? sum : sum + count),
      0,
    );
  }

  /** How often a fault had to be requested again. */
  get askedAgain(): number {
    return this.#asked;
  }

  async fill(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot++) await this.#write(slot);
  }

  async empty(watch: InvariantWatch): Promise<void> {
    for (const slot of this.#wanted.keys()) await this.#remove(slot, watch);
  }

  /** Each step in its time, whatever has become of those before it. Resolves when all of them have been done. */
  async play(steps: readonly ChaosStep[], watch: InvariantWatch): Promise<void> {
    const began = performance.now();
    const open: Promise<void>[] = [];
    for (const { at, event } of steps) {
      const early = at - (performance.now() - began);
      if (early > 1) await delay(early);
      open.push(
        event.do === 'write' || event.do === 'remove' ? this.#change(event, watch) : this.#insist(event, watch),
      );
    }
    await Promise.all(open);
  }

  async #change({ do: what, slot }: Change, watch: InvariantWatch): Promise<void> {
    this.#count(what);
    if (what === 'remove' && this.#wanted.has(slot)) return this.#remove(slot, watch);
    const before = this.#wanted.get(slot);
    if (before !== undefined) watch.gone(onNode(slotName(slot)), before);
    await this.#write(slot);
  }

  async #write(slot: number): Promise<void> {
    const revision = ++this.#revision;
    this.#wanted.set(slot, revision);
    await this.#inTurn(slot, () => this.#node.folder.put(`${slotName(slot)}.yaml`, manifestOf(slot, revision)));
  }

  async #remove(slot: number, watch: InvariantWatch): Promise<void> {
    const revision = this.#wanted.get(slot) ?? 0;
    this.#wanted.delete(slot);
    watch.gone(onNode(slotName(slot)), revision);
    await this.#inTurn(slot, () => this.#node.folder.remove(`${slotName(slot)}.yaml`));
  }

  /** Changes to one file keep their order, however slow the disk is. */
  #inTurn(slot: number, change: () => Promise<unknown>): Promise<unknown> {
    const done = (this.#changing.get(slot) ?? Promise.resolve()).then(change);
    this.#changing.set(slot, done);
    return done;
  }

  /** Repeats the fault until it is injected. If its pod is missing, the next pod is the target. */
  async #insist(fault: ChaosFault, watch: InvariantWatch): Promise<void> {
    const since = performance.now();
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#inflict(fault, attempt).catch((reason: unknown) => String(reason));
      if (answer === true) {
        watch.disturb(helplessMs(fault));
        return this.#count(fault.do);
      }
      if (performance.now() - since > GIVE_UP_AFTER_MS) {
        throw new Error(`${JSON.stringify(fault)} could not be done: ${answer}`);
      }
      this.#asked++;
      await delay(ASK_AGAIN_MS);
    }
  }

  /** True: it has been done. */
  async #inflict(fault: ChaosFault, attempt: number): Promise<true | string> {
    const { admin, runtime } = this.#node;
    const found = (was: boolean): true | string => was || 'there is none';
    const podIn = (slot: number): string => onNode(slotName((slot + attempt) % this.#slots));
    switch (fault.do) {
      case 'crash-actor':
        return found(await admin.crashActor(fault.actor));
      case 'crash-worker':
        return found(await admin.crashActor(`pod-worker/default/${podIn(fault.slot)}`));
      case 'fail-thread':
        return found(await admin.provokeThread(fault.thread, fault.how));
      case 'plan': {
        const text = JSON.stringify(fault.plan).replaceAll('SLOT', `pod-worker/default/${podIn(fault.slot)}`);
        const applied = await admin.applyFaults(text);
        return applied.ok || applied.problems.map(({ path, says }) => `${path} ${says}`).join('; ');
      }
      case 'end-container':
        await runtime.killContainer(podIn(fault.slot), 'app');
        return true;
      case 'kill-agent':
        return found(signal((await admin.agent()).pid, 'SIGKILL'));
      default:
        return assertNever(fault, 'fault');
    }
  }

  #count(what: string): void {
    this.#done.set(what, (this.#done.get(what) ?? 0) + 1);
  }
}
