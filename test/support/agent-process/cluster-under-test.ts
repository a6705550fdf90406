/** A cluster of one node with one static pod, used through a kubeconfig. */
export interface ClusterUnderTest {
  /** An administrator's. */
  readonly kubeconfig: string;
  /** The agent's root folder. */
  readonly rootDir: string;
  /** `true` if `kubectl top` is answered: an API server alone does not. */
  readonly hasMetrics: boolean;
  /** Returns the agent's log. */
  log(): Promise<string>;
  /** Ends every pod and the agent. Answers with its exit code. */
  stop(): Promise<number | null>;
  /** Removes the cluster's files. */
  discard(): Promise<void>;
}
