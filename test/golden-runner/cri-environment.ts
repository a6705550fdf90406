import type { RuntimeHandler } from '../../src/embedded/runtime/runtime-context.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import type { ServiceFacts } from '../../src/pod/cri-config/service-env.ts';

/** The node on which the cases were recorded, as described by the `environment.json` beside them. */
export interface CriEnvironment {
  readonly nodeName: string;
  readonly namespaceDefault: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly memoryCapacityBytes: number;
  readonly hugePageSizes: readonly string[];
  readonly resolvConf: string;
  readonly services: readonly ServiceFacts[];
  readonly podIP: string;
  /** The host's files by path, each described by `file`, `directory …`, `character device`, `empty directory, …`. */
  readonly hostPaths: Readonly<Record<string, string>>;
  readonly runtimeStatus: {
    readonly runtimeHandlers: readonly RuntimeHandler[];
    readonly features?: object;
  };
  readonly kubeletConfiguration: {
    readonly clusterDNS: readonly string[];
    readonly clusterDomain: string;
    readonly [key: string]: unknown;
  };
}

const PAGE_UNITS: Readonly<Record<string, bigint>> = { Ki: 2n ** 10n, Mi: 2n ** 20n, Gi: 2n ** 30n };

const pageBytes = (size: string): bigint => BigInt(size.slice(0, -2)) * (PAGE_UNITS[size.slice(-2)] ?? 1n);

/** The node facts behind the configurations of sandboxes and containers, beside the kubelet's own settings. */
export const factsOf = (environment: CriEnvironment): Partial<NodeFacts> => ({
  resolvConf: environment.resolvConf,
  cgroupDriver: environment.kubeletConfiguration['cgroupDriver'] === 'systemd' ? 'systemd' : 'cgroupfs',
  cgroupRoot: '/',
  cgroupsPerQos: environment.kubeletConfiguration['cgroupsPerQOS'] !== false,
  cgroupVersion: 1,
  singleProcessOOMKill: true,
  memoryCapacityBytes: BigInt(environment.memoryCapacityBytes),
  allocatable: environment.allocatable,
  swap: { controller: 'available', behavior: 'NoSwap', capacityBytes: 0n },
  hugePageSizes: environment.hugePageSizes.map(pageBytes),
  thermalThrottlePaths: [],
});
