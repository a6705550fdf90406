import type { Address } from '../../src/actor/message.ts';

export interface NodeMetricsProtocol {
  readonly command: never;
  readonly question: { readonly type: 'metrics-text' };
  readonly answers: {
    /** Prometheus text of all threads. */
    readonly 'metrics-text': string;
  };
}

export const NODE_METRICS: Address = 'node-metrics';
