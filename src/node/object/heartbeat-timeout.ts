import type { KubeletConfiguration } from '../../config/fields/kubelet-configuration.ts';

/** How long one heartbeat may take, milliseconds: waiting longer than the heartbeat is good for is useless. */
export const heartbeatTimeoutMs = (
  config: Pick<KubeletConfiguration, 'nodeStatusUpdateFrequency' | 'nodeLeaseDurationSeconds'>,
): number => Math.min(config.nodeStatusUpdateFrequency, config.nodeLeaseDurationSeconds * 1000);
