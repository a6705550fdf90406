import type { ClusterUnderTest } from './cluster-under-test.ts';
import { RealCluster } from '../real-api/real-cluster.ts';
import { realControlPlane } from '../real-api/real-control-plane.ts';
import { DevProcess } from './dev-process.ts';

/** Starts a real control plane if this machine has one. Otherwise prints that, and starts `hivelet dev`. */
export function startCluster(suite: string, runtimeEndpoint: string): Promise<ClusterUnderTest> {
  const programs = realControlPlane(suite);
  return programs === undefined ? DevProcess.start(runtimeEndpoint) : RealCluster.start(programs, runtimeEndpoint);
}
