/** The settings of the cluster's process, as JSON in its first argument. */
export interface ClusterSettings {
  readonly nodeName: string;
  /** Where the embedded API server's kubeconfigs are written. */
  readonly folder: string;
  /** The kubeconfig of a running API server. `undefined` to serve an embedded one. */
  readonly kubeconfig: string | undefined;
}

/** Questions to the cluster's process, each with its number. */
export type ClusterQuestion =
  | { readonly type: 'node-ready' }
  /** Makes so many pods that are bound to the node. Answered when the API says that all are Ready. */
  | { readonly type: 'run-pods'; readonly pods: number }
  /** Deletes all of them. Answered when the last object is gone. */
  | { readonly type: 'delete-pods' }
  | { readonly type: 'writes' }
  /** Answered with how many of the pods have been seen not Ready since the question before. */
  | { readonly type: 'unready' };

export interface ClusterAnswers {
  readonly 'node-ready': null;
  readonly 'run-pods': number;
  readonly 'delete-pods': number;
  /** Undefined where the server does not tell. */
  readonly writes: WriteCounts | null;
  readonly unready: number;
}

/** The agent's own calls to the server since its start, without those of other clients. */
export interface WriteCounts {
  /** Patches and updates of the status of pods. */
  readonly statuses: number;
  readonly events: number;
  readonly podDeletes: number;
  readonly nodeWrites: number;
  readonly leaseWrites: number;
  /** Creates, updates and patches of anything else. */
  readonly otherWrites: number;
  readonly reads: number;
}

/** The first thing it says. */
export interface ClusterReady {
  readonly type: 'cluster-ready';
  /** As which the agent is the node. */
  readonly nodeKubeconfig: string;
}
