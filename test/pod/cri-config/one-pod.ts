import type { ContainerConfig, PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { Container, Pod, PodSpec } from '../../../src/kube/pod.ts';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import type { ContainerConfigInput } from '../../../src/pod/cri-config/container-config.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import { goldenNode } from './golden-case.ts';

// The CRI requests for one pod, by default with one container, on the node of the recordings.

export const podWith = (
  spec: Partial<PodSpec>,
  container: Partial<Container> = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], securityContext: {}, ...spec },
});

export const outcomeOf = (pod: Pod, change: Partial<ContainerConfigInput> = {}) =>
  containerConfig({
    pod,
    container: pod.spec.containers[0] ?? { name: 'c' },
    restartCount: 0,
    imageRef: 'ref',
    imageUser: {},
    podIps: ['10.0.0.1'],
    hostIps: ['192.0.2.1'],
    node: goldenNode,
    sources: { ...noConfigSources, services: () => ({ type: 'found', value: [] }) },
    terminationFile: '0a1b2c3d',
    ...change,
  });

export function configOf(pod: Pod, change: Partial<ContainerConfigInput> = {}): ContainerConfig {
  const outcome = outcomeOf(pod, change);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.config;
}

export function messageOf(pod: Pod, change: Partial<ContainerConfigInput> = {}): string {
  const outcome = outcomeOf(pod, change);
  return outcome.ok ? 'configured' : outcome.message;
}

export function sandboxOf(pod: Pod): PodSandboxConfig {
  const outcome = sandboxConfig({ pod, attempt: 0, node: goldenNode });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.config;
}

const decoder = new TextDecoder();
export const envOf = (pod: Pod, change: Partial<ContainerConfigInput> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(configOf(pod, change).envs.map(({ key, value }) => [key, decoder.decode(value)]));
