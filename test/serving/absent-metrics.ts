/** Metrics of the kubelet that this node does not show, and why. Each pattern is for names as a whole. */
export const absentMetrics: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/metrics': {
    // Duties that this agent has not.
    'kubelet_(cpu|memory|topology)_manager_.*|kubelet_container_aligned_.*|resource_manager_.*|kubelet_memory_qos_.*':
      'processors and memory are not pinned',
    'kubelet_device_plugin_.*|plugin_manager_.*|dra_.*': 'there are no device plugins and no resource drivers',
    'volume_operation_.*': 'of the controllers of volumes: nobody provisions or attaches here',
    'volume_manager_selinux_.*': 'SELinux labels are not set',
    'kubelet_started_host_process_.*': 'that is not done here',
    // Metrics of the kubelet's structure.
    'workqueue_.*': 'there are no work queues of that kind: hivelet_actor_* say the same of mailboxes',
    'registered_metrics_total|disabled_metrics_total|hidden_metrics_total|kubernetes_feature_enabled|version_info':
      'of the Go component framework',
    'rest_client_(transport|dns|exec_plugin)_.*|rest_client_(request|response)_size_bytes': 'of the Go API client',
    'kubelet_metrics_provider|kubelet_cri_losing_support': 'there is no other way to choose from',
    'kubelet_evented_pleg_.*|kubelet_pleg_discard_events': 'the event stream is no mode of its own',
    'reconstruct_volume_.*|force_cleaned_.*': 'volumes are not reconstructed: what is on disk is looked at',
    kubelet_pod_watch_events_dropped_total: 'no event of a watch is dropped: mailboxes coalesce',
    'kubelet_first_network_pod_.*': 'internal to the kubelet: pods start on several threads, and none is the first',
    'kubelet_imagemanager_inmemory_.*': 'records are read from disk each time: there is no cache to be full',
    'kubelet_volume_metric_.*': 'volumes are not measured one by one: a walk is of a pod',
    authentication_token_cache_active_fetch_count: 'one review of a token is under way at most',
    apiserver_authorization_webhook_evaluations_fail_open_total: 'a review that fails lets nobody in',
  },
  '/metrics/cadvisor': {
    'container_(tasks_state|cpu_load_.*)': 'a kubelet does not have them measured: there they are nought for ever',
    'container_fs_io_cost_.*': 'the kernel reports it only of disks whose io.cost controller is on',
    container_health_state: 'of Docker alone',
    'machine_cpu_(books|drawers)': 'of mainframes alone',
    machine_cpu_cache_capacity_bytes: 'of no use to who places pods here: processors are not pinned',
    'machine_(dimm|nvm)_.*': 'of modules of memory: it takes drivers that few machines have',
  },
};
