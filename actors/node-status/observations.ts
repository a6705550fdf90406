import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { MachineFacts } from '../../src/host/machine-facts.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { NodeObservation } from '../../src/node/object/node-status.ts';
import { runtimeProblems, silentRuntime, type RuntimeState } from '../../src/node/object/runtime-state.ts';
import type { NodeLook } from './protocol.ts';

type Severity = 'problem' | 'warning';

/** The latest facts about the node, from all sources. */
export class Observations {
  machine: MachineFacts;
  runtime: RuntimeState = silentRuntime;
  pressures: Pressures | undefined;
  volumesInUse: readonly string[] | undefined;
  plegProblem: string | undefined;
  plegWasWell = false;
  hasLooked = false;
  #look: NodeLook = { images: undefined, addresses: undefined, addressProblem: undefined };
  readonly #reports = new Map<string, { readonly severity: Severity; readonly text: string }>();

  constructor(machine: MachineFacts) {
    this.machine = machine;
  }

  /** `true` if enough is known for a meaningful status. */
  get enough(): boolean {
    return this.hasLooked && this.plegWasWell && this.runtime.lastAnswerAt !== undefined;
  }

  /** Facts missing in this look keep their last value. Returns the address problem when it is new. */
  looked(look: NodeLook): string | undefined {
    const before = this.#look;
    this.hasLooked = true;
    this.#look = { ...look, images: look.images ?? before.images, addresses: look.addresses ?? before.addresses };
    return look.addressProblem === before.addressProblem ? undefined : look.addressProblem;
  }

  listed(images: NodeLook['images']): void {
    this.#look = { ...this.#look, images: images ?? this.#look.images };
  }

  /** Replaces the source's earlier text; `undefined` removes it. */
  reported(source: string, severity: Severity, text: string | undefined): void {
    if (text === undefined) this.#reports.delete(source);
    else this.#reports.set(source, { severity, text });
  }

  at(now: MonotonicMs): NodeObservation {
    const { addresses, images, addressProblem } = this.#look;
    const { machine, runtime, pressures, plegProblem, volumesInUse } = this;
    const problems = [
      ...runtimeProblems(runtime, now),
      ...(plegProblem === undefined ? [] : [plegProblem]),
      ...this.#texts('problem'),
      ...(addresses === undefined && addressProblem !== undefined ? [addressProblem] : []),
    ];
    const warnings = this.#texts('warning');
    return { machine, addresses, runtime, images, pressures, problems, warnings, volumesInUse };
  }

  #texts(severity: Severity): readonly string[] {
    return [...this.#reports.values()].filter((each) => each.severity === severity).map(({ text }) => text);
  }
}
