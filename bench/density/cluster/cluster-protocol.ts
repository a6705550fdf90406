/** The settings of the cluster's process, as JSON in its first argument. */
export interface ClusterSettings {
  readonly nodeName: string;
  /** Folder for the embedded API server's kubeconfigs. */
  readonly folder: string;
  /** The kubeconfig of a running API server. `undefined` to serve an embedded one. */
  readonly kubeconfig: string | undefined;
}

/** Questions to the cluster's process, each with its number. */
export type ClusterQuestion =
  | { readonly type: 'node-ready' }
  /** Creates this number of pods bound to the node. Answered when all are Ready in the API. */
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
  /** `undefined` when the server does not report it. */
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

/** The first message. */
export interface ClusterReady {
  readonly type: 'cluster-ready';
  /** Kubeconfig with the node's identity. */
  readonly nodeKubeconfig: string;
}
