import type { KubeletConfiguration } from '../../config/fields/kubelet-configuration.ts';

/** Returns the time limit of one heartbeat in milliseconds. Waiting longer than a heartbeat is valid has no use. */
export const heartbeatTimeoutMs = (
  config: Pick<KubeletConfiguration, 'nodeStatusUpdateFrequency' | 'nodeLeaseDurationSeconds'>,
): number => Math.min(config.nodeStatusUpdateFrequency, config.nodeLeaseDurationSeconds * 1000);
