import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** Metrics of the garbage collector, under the kubelet's names. */
export interface GarbageMetrics {
  imageCollected(reason: 'age' | 'space'): void;
  /** Counts of the latest pass over the pods' directories. */
  orphansCleaned(cleaned: number, failed: number): void;
}

export function garbageMetrics(families: MetricFamilies): GarbageMetrics {
  const images = families.counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
    labels: ['reason'],
  });
  const cleaned = families.gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes',
    help: 'The total number of orphaned Pods whose volumes were cleaned in the last periodic sweep.',
  });
  const failed = families.gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes_errors',
    help: 'The number of orphaned Pods whose volumes failed to be cleaned in the last periodic sweep.',
  });
  // Nothing is left behind before the first sweep.
  for (const gauge of [cleaned, failed]) gauge.set(0);
  return {
    imageCollected: (reason) => images.add([reason]),
    orphansCleaned(done, errors) {
      cleaned.set(done);
      failed.set(errors);
    },
  };
}
