import { RealCluster } from '../real-api/real-cluster.ts';
import { realControlPlane } from '../real-api/real-control-plane.ts';
import { DevProcess } from './dev-process.ts';

/** A cluster of one node, with one static pod, for a client with a kubeconfig. */
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

/** With a real control plane where this machine has one, which is said aloud otherwise; else `hivelet dev`. */
export function startCluster(suite: string, runtimeEndpoint: string): Promise<ClusterUnderTest> {
  const programs = realControlPlane(suite);
  return programs === undefined ? DevProcess.start(runtimeEndpoint) : RealCluster.start(programs, runtimeEndpoint);
}
