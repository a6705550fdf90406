import { own } from '../../kube/text/own.ts';
import type { FeatureGate, GateLookup } from '../feature-gates.ts';
import { featureGates } from '../feature-gates.ts';
import { formatGoDuration } from '../../kube/text/go-duration.ts';
import type { ConfigPath } from '../fields/config-fields.ts';
import type { KubeletConfiguration } from '../fields/kubelet-configuration.ts';
import type { FieldViolation } from './validate-fields.ts';
import { entryPath, itemPath } from '../fields/config-value.ts';

/** The facts of a host that rules about it need. */
export interface HostOfConfiguration {
  readonly cgroupVersion: 1 | 2;
  /** The files and devices that the kernel swaps to. */
  readonly swaps: readonly string[];
}

/** The facts that rules may use besides the configuration. */
export interface RuleContext {
  readonly isOn: GateLookup;
  /** Absent when the host is not known yet. Rules about the host are then skipped. */
  readonly host?: HostOfConfiguration;
}

/** A rule about several fields at once. */
export interface CrossFieldRule {
  /** The fields that the rule reads. The rule is skipped when one of them is already invalid. */
  readonly reads: readonly ConfigPath[];
  find(config: KubeletConfiguration, context: RuleContext): FieldViolation | readonly FieldViolation[] | undefined;
}

const when = (isBroken: boolean, path: string, expected: string): FieldViolation | undefined =>
  isBroken ? { path, expected } : undefined;

const imageRules: readonly CrossFieldRule[] = [
  {
    reads: ['imageMaximumGCAge', 'imageMinimumGCAge'],
    find: ({ imageMaximumGCAge: most, imageMinimumGCAge: least }) =>
      when(
        most > 0 && most <= least,
        'imageMaximumGCAge',
        `0s, or more than imageMinimumGCAge (${formatGoDuration(least)})`,
      ),
  },
  {
    reads: ['imageGCLowThresholdPercent', 'imageGCHighThresholdPercent'],
    find: ({ imageGCLowThresholdPercent: low, imageGCHighThresholdPercent: high }) =>
      when(low >= high, 'imageGCLowThresholdPercent', `less than imageGCHighThresholdPercent (${high})`),
  },
  {
    reads: ['maxParallelImagePulls', 'serializeImagePulls'],
    find: ({ maxParallelImagePulls: pulls, serializeImagePulls: serial }) =>
      when((pulls ?? 0) > 1 && serial, 'maxParallelImagePulls', '1, or serializeImagePulls: false'),
  },
  {
    reads: ['preloadedImagesVerificationAllowlist', 'imagePullCredentialsVerificationPolicy'],
    find: ({ preloadedImagesVerificationAllowlist: list, imagePullCredentialsVerificationPolicy: policy }) =>
      when(
        list.length > 0 && policy !== 'NeverVerifyAllowlistedImages',
        'preloadedImagesVerificationAllowlist',
        'nothing, unless imagePullCredentialsVerificationPolicy is NeverVerifyAllowlistedImages',
      ),
  },
];

const cgroupRules: readonly CrossFieldRule[] = [
  {
    reads: ['systemCgroups', 'cgroupRoot'],
    find: ({ systemCgroups, cgroupRoot }) =>
      when(systemCgroups !== '' && cgroupRoot === '', 'systemCgroups', 'nothing, unless cgroupRoot is set'),
  },
  {
    reads: ['cgroupsPerQOS', 'enforceNodeAllocatable'],
    find: ({ cgroupsPerQOS, enforceNodeAllocatable: enforced }) =>
      when(
        !cgroupsPerQOS && enforced.some((what) => what !== 'none'),
        'cgroupsPerQOS',
        'true, or enforceNodeAllocatable: [] or [none]',
      ),
  },
  {
    reads: ['singleProcessOOMKill'],
    find: ({ singleProcessOOMKill: single }, { host }) =>
      when(single === false && host?.cgroupVersion === 1, 'singleProcessOOMKill', 'true: this host has cgroup v1'),
  },
  {
    reads: ['failCgroupV1'],
    find: ({ failCgroupV1 }, { host }) =>
      when(failCgroupV1 && host?.cgroupVersion === 1, 'failCgroupV1', 'false: this host has cgroup v1'),
  },
  {
    reads: ['memorySwap.swapBehavior'],
    find: ({ memorySwap: { swapBehavior } }, { host }) =>
      when(
        swapBehavior === 'LimitedSwap' && host?.cgroupVersion === 1,
        'memorySwap.swapBehavior',
        'NoSwap: this host has cgroup v1, and only cgroup v2 limits swap',
      ),
  },
  {
    reads: ['failSwapOn'],
    find: ({ failSwapOn }, { host }) => {
      const swaps = host?.swaps ?? [];
      return when(failSwapOn && swaps.length > 0, 'failSwapOn', `false: this host swaps to ${swaps.join(', ')}`);
    },
  },
  {
    reads: ['cpuCFSQuotaPeriod', 'featureGates'],
    find: ({ cpuCFSQuotaPeriod: period }, { isOn }) =>
      isOn('CustomCPUCFSQuotaPeriod')
        ? when(period < 1 || period > 1_000, 'cpuCFSQuotaPeriod', '1ms to 1s')
        : when(period !== 100, 'cpuCFSQuotaPeriod', '100ms, since feature gate CustomCPUCFSQuotaPeriod is off'),
  },
  {
    reads: ['reservedSystemCPUs', 'systemReservedCgroup', 'kubeReservedCgroup'],
    find: ({ reservedSystemCPUs: cpus, systemReservedCgroup, kubeReservedCgroup }) =>
      when(
        cpus !== '' && systemReservedCgroup + kubeReservedCgroup !== '',
        'reservedSystemCPUs',
        'nothing, while systemReservedCgroup or kubeReservedCgroup is set',
      ),
  },
  { reads: ['enforceNodeAllocatable', 'systemReservedCgroup', 'kubeReservedCgroup'], find: findInEnforced },
  {
    reads: ['reservedMemory'],
    find: ({ reservedMemory }) => {
      const seen = new Set<string>();
      return reservedMemory.flatMap(({ numaNode, limits }, index) =>
        Object.keys(limits).flatMap((resource) => {
          const both = `${numaNode} ${resource}`;
          const expected = `each resource of a NUMA node once: ${resource} of node ${numaNode} stands above`;
          const path = entryPath(`${itemPath('reservedMemory', index)}.limits`, resource);
          return seen.size === seen.add(both).size ? [{ path, expected }] : [];
        }),
      );
    },
  },
];

function findInEnforced(config: KubeletConfiguration): readonly FieldViolation[] {
  const { enforceNodeAllocatable: enforced, systemReservedCgroup, kubeReservedCgroup } = config;
  const cgroups = { systemReservedCgroup, kubeReservedCgroup };
  return enforced.flatMap((what, index) => {
    const report = (expected: string) => [{ path: itemPath('enforceNodeAllocatable', index), expected }];
    if (enforced.indexOf(what) < index) return report('each word once');
    if (what === 'none') return enforced.length > 1 ? report('none to be the only entry') : [];
    if (what === 'pods') return [];
    const group = what.startsWith('system') ? 'systemReservedCgroup' : 'kubeReservedCgroup';
    const other = what.replace('-compressible', '');
    if (what !== other && enforced.some((word) => word === other)) return report(`not both ${other} and ${what}`);
    return cgroups[group] === '' ? report(`${group} to be set as well`) : [];
  });
}

const podRules: readonly CrossFieldRule[] = [
  {
    reads: ['evictionSoft', 'evictionSoftGracePeriod'],
    find: ({ evictionSoft, evictionSoftGracePeriod: grace }) =>
      Object.keys(evictionSoft)
        .filter((signal) => !Object.hasOwn(grace, signal))
        .map((signal) => ({
          path: entryPath('evictionSoft', signal),
          expected: `a grace period in ${entryPath('evictionSoftGracePeriod', signal)} as well`,
        })),
  },
  {
    reads: ['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'],
    find: ({ shutdownGracePeriod: all, shutdownGracePeriodCriticalPods: critical }) =>
      when(critical > all, 'shutdownGracePeriodCriticalPods', `at most shutdownGracePeriod (${formatGoDuration(all)})`),
  },
  {
    reads: ['shutdownGracePeriodByPodPriority', 'shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'],
    find: ({ shutdownGracePeriodByPodPriority: byPriority, shutdownGracePeriod, shutdownGracePeriodCriticalPods }) =>
      when(
        byPriority.length > 0 && (shutdownGracePeriod > 0 || shutdownGracePeriodCriticalPods > 0),
        'shutdownGracePeriodByPodPriority',
        'nothing, while shutdownGracePeriod or shutdownGracePeriodCriticalPods is set',
      ),
  },
];

const servingRules: readonly CrossFieldRule[] = [
  {
    reads: ['enableSystemLogQuery', 'enableSystemLogHandler'],
    find: ({ enableSystemLogQuery: query, enableSystemLogHandler: handler }) =>
      when(query === true && !handler, 'enableSystemLogQuery', 'false, unless enableSystemLogHandler is true'),
  },
  {
    reads: ['logging.vmodule', 'logging.format'],
    find: ({ logging: { vmodule, format } }) =>
      when(vmodule.length > 0 && format !== 'text', 'logging.vmodule', 'nothing, unless logging.format is text'),
  },
];

const optionGates: Readonly<Record<string, FeatureGate>> = {
  'distribute-cpus-across-numa': 'CPUManagerPolicyBetaOptions',
  'align-by-socket': 'CPUManagerPolicyAlphaOptions',
  'distribute-cpus-across-cores': 'CPUManagerPolicyAlphaOptions',
};

const gateRules: readonly CrossFieldRule[] = [
  {
    reads: ['cpuManagerPolicyOptions', 'featureGates'],
    find: ({ cpuManagerPolicyOptions: options }, { isOn }) =>
      Object.keys(options).flatMap((option) => {
        const gate = own(optionGates, option);
        if (gate === undefined || isOn(gate)) return [];
        return [
          {
            path: entryPath('cpuManagerPolicyOptions', option),
            expected: `nothing, since feature gate ${gate} is off`,
          },
        ];
      }),
  },
  { reads: ['featureGates'], find: findUnmetGates },
];

// A gate that is on by default also loses its basis when another gate is switched off. The finding names a gate that
// the user set.
function findUnmetGates({ featureGates: set }: KubeletConfiguration, { isOn }: RuleContext): readonly FieldViolation[] {
  return Object.entries(featureGates).flatMap(([gate, spec]) => {
    // Both come from the keys of the table, and a test checks `needs` against them.
    const needs: readonly string[] = 'needs' in spec ? spec.needs : [];
    // Both are keys of the table; a test checks `needs` against them.
    const missing = needs.filter((needed) => !isOn(needed as FeatureGate));
    if (missing.length === 0 || !isOn(gate as FeatureGate)) return [];
    if (Object.hasOwn(set, gate)) {
      return [{ path: entryPath('featureGates', gate), expected: `false, unless ${missing.join(', ')} is on as well` }];
    }
    const blamed = missing.find((needed) => Object.hasOwn(set, needed));
    const path = blamed === undefined ? 'featureGates' : entryPath('featureGates', blamed);
    return [{ path, expected: `${missing.join(', ')} to be on, or ${gate} to be off as well` }];
  });
}

/**
 * Settings that this agent does not support and must not ignore silently. A pod that relies on its own processors or
 * memory would share them.
 */
const absentRules: readonly CrossFieldRule[] = [
  {
    reads: ['cpuManagerPolicy'],
    find: ({ cpuManagerPolicy }) =>
      when(cpuManagerPolicy === 'static', 'cpuManagerPolicy', 'none: this agent gives no container CPUs of its own'),
  },
  {
    reads: ['memoryManagerPolicy'],
    find: ({ memoryManagerPolicy }) =>
      when(memoryManagerPolicy === 'Static', 'memoryManagerPolicy', 'None: this agent pins no memory to NUMA nodes'),
  },
  {
    reads: ['topologyManagerPolicy'],
    find: ({ topologyManagerPolicy }) =>
      when(
        topologyManagerPolicy !== 'none',
        'topologyManagerPolicy',
        'none: this agent does not align resources to NUMA nodes',
      ),
  },
];

export const crossFieldRules: readonly CrossFieldRule[] = [
  ...absentRules,
  ...imageRules,
  ...cgroupRules,
  ...podRules,
  ...servingRules,
  ...gateRules,
];
