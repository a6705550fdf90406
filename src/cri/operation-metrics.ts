import { Counter, Histogram, type Registry } from '../metrics/prometheus.ts';
import type { CriMethodName } from './methods.ts';

/** Counts calls to the runtime under the kubelet's own metric names, so that existing dashboards work unchanged. */
export interface OperationMetrics {
  observe(method: CriMethodName, seconds: number, outcome: 'ok' | 'error'): void;
}

/** `operation_type` of each method, as the kubelet labels it. */
const operationTypes: Readonly<Record<CriMethodName, string>> = {
  Version: 'version',
  Status: 'status',
  RunPodSandbox: 'run_podsandbox',
  StopPodSandbox: 'stop_podsandbox',
  RemovePodSandbox: 'remove_podsandbox',
  PodSandboxStatus: 'podsandbox_status',
  ListPodSandbox: 'list_podsandbox',
  CreateContainer: 'create_container',
  StartContainer: 'start_container',
  StopContainer: 'stop_container',
  RemoveContainer: 'remove_container',
  ListContainers: 'list_containers',
  ContainerStatus: 'container_status',
  ReopenContainerLog: 'reopen_container_log',
  UpdateContainerResources: 'update_container',
  UpdatePodSandboxResources: 'update_podsandbox_resources',
  ContainerStats: 'container_stats',
  ExecSync: 'exec_sync',
  ListContainerStats: 'list_container_stats',
  ListPodSandboxStats: 'list_podsandbox_stats',
  CheckpointContainer: 'checkpoint_container',
  Exec: 'exec',
  Attach: 'attach',
  PortForward: 'port_forward',
  RuntimeConfig: 'runtime_config',
  ListImages: 'list_images',
  ImageStatus: 'image_status',
  PullImage: 'pull_image',
  RemoveImage: 'remove_image',
  ImageFsInfo: 'image_fs_info',
};

export function operationMetrics(registry: Registry): OperationMetrics {
  const labelNames = ['operation_type'] as const;
  const total = new Counter({
    name: 'kubelet_runtime_operations_total',
    help: 'Cumulative number of runtime operations by operation type.',
    labelNames,
    registers: [registry],
  });
  const errors = new Counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Cumulative number of runtime operation errors by operation type.',
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'Duration in seconds of runtime operations, broken down by operation type.',
    labelNames,
    buckets: Array.from({ length: 14 }, (_, index) => 0.005 * 2.5 ** index),
    registers: [registry],
  });
  // A label lookup costs more than counting, so the children of each method are made once.
  const children = new Map(
    Object.entries(operationTypes).map(([method, operation_type]) => {
      const labels = { operation_type };
      return [
        method,
        { total: total.labels(labels), errors: errors.labels(labels), duration: duration.labels(labels) },
      ];
    }),
  );
  return {
    observe(method, seconds, outcome) {
      const child = children.get(method);
      child?.total.inc();
      child?.duration.observe(seconds);
      if (outcome === 'error') child?.errors.inc();
    },
  };
}
