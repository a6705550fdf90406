import type { CriClient } from '../cri/client.ts';
import type { Pod } from '../kube/pod.ts';

/** The node's data that the server shows. */
export interface NodeView {
  readonly nodeName: string;
  /** Every pod, each with its newest status. */
  pods(): Promise<readonly Pod[]>;
  pod(namespace: string, name: string): Promise<Pod | undefined>;
  readonly cri: CriClient;
  /** Prometheus text. */
  metrics(): Promise<string>;
  readonly figures: NodeFigures;
  /** The effective configuration. */
  readonly configuration: object;
  /** By name. A check resolves with `undefined` when healthy, otherwise with the problem. */
  readonly healthChecks: HealthChecks;
  /** Checks that are no part of `/healthz`: `/healthz/{check}` shows them. */
  readonly namedChecks: HealthChecks;
}

export type HealthChecks = ReadonlyMap<string, () => Promise<string | undefined>>;

/** Usage of the node, its pods and their containers, as text for collectors. */
export interface NodeFigures {
  /** JSON; `undefined` when the runtime does not report usage. */
  summary(extent: 'everything' | 'cpu-and-memory'): Promise<string | undefined>;
  resource(): Promise<string>;
  cadvisor(): Promise<string>;
}
