import type { MetricFamilies } from '../metrics/metric-families.ts';
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

export function operationMetrics(families: MetricFamilies): OperationMetrics {
  const labels = ['operation_type'];
  const total = families.counter({
    name: 'kubelet_runtime_operations_total',
    help: 'Cumulative number of runtime operations by operation type.',
    labels,
  });
  const errors = families.counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Cumulative number of runtime operation errors by operation type.',
    labels,
  });
  const duration = families.histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'Duration in seconds of runtime operations, broken down by operation type.',
    labels,
    buckets: Array.from({ length: 14 }, (_, index) => 0.005 * 2.5 ** index),
  });
  return {
    observe(method, seconds, outcome) {
      const operation = [operationTypes[method]];
      total.add(operation);
      duration.observe(seconds, operation);
      if (outcome === 'error') errors.add(operation);
    },
  };
}
