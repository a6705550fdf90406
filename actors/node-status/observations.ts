import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ContainerImage, NodeAddress } from '../../src/kube/node.ts';
import type { MachineFacts } from '../../src/host/machine-facts.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { AddressResult } from '../../src/node/object/node-addresses.ts';
import type { NodeObservation } from '../../src/node/object/node-status.ts';
import { runtimeProblems, silentRuntime, type RuntimeState } from '../../src/node/object/runtime-state.ts';

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
  /** The addresses found last; empty when there are none. `undefined` before the first inspection has ended. */
  hostAddresses: readonly NodeAddress[] | undefined;
  #images: readonly ContainerImage[] | undefined;
  /** The last addresses that could be published. */
  #addresses: readonly NodeAddress[] | undefined;
  #addressProblem: string | undefined;
  readonly #reports = new Map<string, { readonly severity: Severity; readonly text: string }>();

  constructor(machine: MachineFacts) {
    this.machine = machine;
  }

  /** `true` if enough is known for a meaningful status. */
  get enough(): boolean {
    return this.wasInspected && this.plegWasWell && this.runtime.lastAnswerAt !== undefined;
  }

  /** Images that could not be listed this time stay as they were. */
  inspected(images: readonly ContainerImage[] | undefined): void {
    this.wasInspected = true;
    this.listed(images);
  }

  /** Returns why there are no addresses, when that is new. Addresses published before stay. */
  addressesFound(found: AddressResult): string | undefined {
    const before = this.#addressProblem;
    this.hostAddresses = found.ok ? found.addresses : [];
    this.#addresses = found.ok ? found.addresses : this.#addresses;
    this.#addressProblem = found.ok ? undefined : found.message;
    return this.#addressProblem === before ? undefined : this.#addressProblem;
  }

  listed(images: readonly ContainerImage[] | undefined): void {
    this.#images = images ?? this.#images;
  }

  /** Replaces the source's earlier text; `undefined` removes it. */
  reported(source: string, severity: Severity, text: string | undefined): void {
    if (text === undefined) this.#reports.delete(source);
    else this.#reports.set(source, { severity, text });
  }

  at(now: MonotonicMs): NodeObservation {
    const [addresses, images, addressProblem] = [this.#addresses, this.#images, this.#addressProblem];
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
