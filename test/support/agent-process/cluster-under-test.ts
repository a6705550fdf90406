/** A cluster of one node, with one static pod, that somebody with a kubeconfig works with. */
export interface ClusterUnderTest {
  /** An administrator's. */
  readonly kubeconfig: string;
  /** Where the agent keeps what it keeps. */
  readonly rootDir: string;
  /** `true` if `kubectl top` is answered: an API server alone does not. */
  readonly hasMetrics: boolean;
  /** Returns the agent's log. */
  log(): Promise<string>;
  /** Ends every pod and the agent. Answers with its exit code. */
  stop(): Promise<number | null>;
  /** Removes what it has on the disk. */
  discard(): Promise<void>;
}
