import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { MachineFacts } from '../../src/host/machine-facts.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { NodeObservation } from '../../src/node/object/node-status.ts';
import { runtimeProblems, silentRuntime, type RuntimeState } from '../../src/node/object/runtime-state.ts';
import type { NodeInspection } from './protocol.ts';

type Severity = 'problem' | 'warning';

/** The latest facts about the node, from all sources. */
export class Observations {
  machine: MachineFacts;
  runtime: RuntimeState = silentRuntime;
  pressures: Pressures | undefined;
  volumesInUse: readonly string[] | undefined;
  plegProblem: string | undefined;
  plegWasWell = false;
  wasInspected = false;
  #inspection: NodeInspection = { images: undefined, addresses: undefined, addressProblem: undefined };
  readonly #reports = new Map<string, { readonly severity: Severity; readonly text: string }>();

  constructor(machine: MachineFacts) {
    this.machine = machine;
  }

  /** `true` if enough is known for a meaningful status. */
  get enough(): boolean {
    return this.wasInspected && this.plegWasWell && this.runtime.lastAnswerAt !== undefined;
  }

  /** Facts missing in this inspection keep their last value. Returns the address problem when it is new. */
  inspected(inspection: NodeInspection): string | undefined {
    const before = this.#inspection;
    this.wasInspected = true;
    this.#inspection = {
      ...inspection,
      images: inspection.images ?? before.images,
      addresses: inspection.addresses ?? before.addresses,
    };
    return inspection.addressProblem === before.addressProblem ? undefined : inspection.addressProblem;
  }

  listed(images: NodeInspection['images']): void {
    this.#inspection = { ...this.#inspection, images: images ?? this.#inspection.images };
  }

  /** Replaces the source's earlier text; `undefined` removes it. */
  reported(source: string, severity: Severity, text: string | undefined): void {
    if (text === undefined) this.#reports.delete(source);
    else this.#reports.set(source, { severity, text });
  }

  at(now: MonotonicMs): NodeObservation {
    const { addresses, images, addressProblem } = this.#inspection;
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
