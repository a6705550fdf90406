import { Counter, Gauge, type Registry } from '../../src/metrics/prometheus.ts';

/** Metrics of the garbage collector, under the kubelet's names. */
export interface GarbageMetrics {
  imageCollected(reason: 'age' | 'space'): void;
  /** Counts of the latest pass over the pods' directories. */
  orphansCleaned(cleaned: number, failed: number): void;
}

export function garbageMetrics(registry: Registry): GarbageMetrics {
  const images = new Counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const cleaned = new Gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes',
    help: 'The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.',
    registers: [registry],
  });
  const failed = new Gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes_errors',
    help: 'The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.',
    registers: [registry],
  });
  return {
    imageCollected: (reason) => images.inc({ reason }),
    orphansCleaned(done, errors) {
      cleaned.set(done);
      failed.set(errors);
    },
  };
}
