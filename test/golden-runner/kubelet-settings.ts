import type { AdmissionRules } from '../../src/node/admission/pod-admission.ts';
import { withDefaults } from '../../src/config/fields/config-defaults.ts';
import type { ConfigTree } from '../../src/config/fields/config-value.ts';
import { decodeConfigFile } from '../../src/config/decode-config-file.ts';
import { decideGates } from '../../src/config/feature-gates.ts';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';
import type { VerificationPolicy } from '../../src/images/pull-records.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import type { NodeSettings } from '../simulation/node/simulated-kinds.ts';
import { isObject } from './lifecycle-shape.ts';
import { MalformedCase } from './malformed-case.ts';

/** The settings of all recordings. A case names the settings in which it differs. */
const BASE = {
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  maxPods: 500,
  serializeImagePulls: false,
  registryPullQPS: 0,
};

/** Reads a case's kubelet configuration as the agent reads its own. Throws a {@link MalformedCase}. */
export function kubeletConfiguration(file: string, field: string, kubelet: object): KubeletConfiguration {
  const written = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...BASE, ...kubelet };
  const { tree, problems } = decodeConfigFile(file, JSON.stringify(written));
  const [problem] = problems;
  if (problem !== undefined)
    throw new MalformedCase(file, `${field}.${problem.path}`, `${problem.value ?? ''} is not ${problem.expected}`);
  // The table of fields fills in exactly what the interface has.
  return withDefaults(tree, decideGates(gatesIn(tree))) as unknown as KubeletConfiguration;
}

const gatesIn = ({ featureGates }: ConfigTree): Readonly<Record<string, boolean>> =>
  isObject(featureGates) ? (featureGates as Readonly<Record<string, boolean>>) : {};

/** Returns the settings that affect a pod's life, for the actors of a simulated node. */
export function nodeSettingsOf(config: KubeletConfiguration): Omit<NodeSettings, 'nodeName' | 'facts'> {
  const isOn = decideGates(config.featureGates);
  const { allowedUnsafeSysctls, registryPullQPS, registryBurst, maxParallelImagePulls } = config;
  const rules: AdmissionRules = {
    allowedSysctls: allowedUnsafeSysctls,
    appArmor: 'absent',
    isOn,
    swap: config.memorySwap.swapBehavior === 'LimitedSwap' ? 'limited' : 'none',
  };
  const pullsAtOnce = maxParallelImagePulls ?? (config.serializeImagePulls ? 1 : undefined);
  return {
    syncFrequencyMs: config.syncFrequency,
    crashLoopMaxMs: config.crashLoopBackOff.maxContainerRestartPeriod ?? 300_000,
    clusterDNS: config.clusterDNS,
    rules,
    images: {
      rate: { perSecond: registryPullQPS ?? 0, burst: registryBurst },
      verification: {
        policy: isOn('KubeletEnsureSecretPulledImages')
          ? (config.imagePullCredentialsVerificationPolicy as VerificationPolicy)
          : 'NeverVerify',
        allowlist: config.preloadedImagesVerificationAllowlist,
      },
    },
    ...(pullsAtOnce !== undefined && { pullsAtOnce }),
  };
}

/** Returns the settings that affect the configurations of sandboxes and containers. */
export function nodeFactsOf(config: KubeletConfiguration): Partial<NodeFacts> {
  const { podPidsLimit } = config;
  return {
    clusterDNS: config.clusterDNS,
    clusterDomain: config.clusterDomain,
    cpuCfsQuota: config.cpuCFSQuota,
    cpuCfsQuotaPeriodMicroseconds: BigInt(Math.round(config.cpuCFSQuotaPeriod * 1_000)),
    seccompDefault: config.seccompDefault,
    containerStopSignals: decideGates(config.featureGates)('ContainerStopSignals'),
    ...(podPidsLimit > 0 && { podPidsLimit: BigInt(podPidsLimit) }),
  };
}
