import type { GarbageCollectorDeps } from '../../actors/garbage-collector/actor.ts';
import { criThroughGateway, type Caller } from '../../actors/cri-through-gateway.ts';
import { volumesThroughManager } from '../../actors/volumes-through-manager.ts';
import { criClient } from '../../src/cri/client.ts';
import type { NodeFacts } from '../../src/node/node-facts.ts';
import type { PodFiles } from '../../src/node/pod-files.ts';

/** What the garbage collector stands on in a simulation. The disk of the images is never full: nobody pulls there. */
export function simulatedTidying(
  caller: Caller,
  {
    files,
    node,
    requestTimeoutMs,
  }: { readonly files: PodFiles; readonly node: NodeFacts; readonly requestTimeoutMs: number },
): GarbageCollectorDeps {
  const cri = criClient(criThroughGateway(caller, requestTimeoutMs));
  const { podLogsDir, rootDir } = node;
  const podsDir = `${rootDir}/pods`;
  const metrics = { imageCollected() {}, orphansCleaned() {} };
  return {
    containers: {
      cri,
      files,
      podLogsDir,
      legacyLogsDir: undefined,
      policy: { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1 },
    },
    images: {
      cri,
      metrics,
      nodeEvent: () => {},
      filesystemOf: () => Promise.resolve({ capacityBytes: 100, availableBytes: 50 }),
      policy: { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
    },
    directories: {
      cri,
      metrics,
      files,
      podsDir,
      volumes: volumesThroughManager(caller),
      removePodDirectory: (uid) => {
        files.removeEntry(podsDir, uid);
        return Promise.resolve('removed');
      },
      removeCgroups: () => undefined,
    },
  };
}
