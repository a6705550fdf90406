import type { Actor } from '../../src/actor/actor.ts';
import type { NodeMetricsProtocol } from './protocol.ts';

export interface NodeMetricsDeps {
  /** Asks every thread. */
  readonly text: () => Promise<string>;
}

/** Gives whoever serves metrics those of all threads. */
export class NodeMetrics implements Actor<NodeMetricsProtocol> {
  readonly #deps: NodeMetricsDeps;

  constructor(deps: NodeMetricsDeps) {
    this.#deps = deps;
  }

  tell(): void {}

  ask(): Promise<string> {
    return this.#deps.text();
  }
}
