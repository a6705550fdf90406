import { describe, expect, it } from 'vitest';
import { startupMetrics } from '../../../actors/node-status/metrics.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';

function counted() {
  const families = new MetricFamilies();
  const metrics = startupMetrics(families, { bootedAt: 1_000, startedAt: 11_000 });
  const shown = () =>
    [...families.text().matchAll(/^kubelet_node_startup_(\w*)duration_seconds (\d+)$/gm)].map(
      ([, step, value]) => `${step}${value}`,
    );
  return { metrics, shown };
}

describe('the startup of a node', () => {
  it('is counted step by step, each step once', () => {
    const { metrics, shown } = counted();
    metrics.triesToRegister(13_000);
    metrics.triesToRegister(20_000);
    metrics.registered(16_000);
    metrics.ready(21_000);
    metrics.ready(99_000);
    expect(shown()).toEqual(['pre_kubelet_10', 'pre_registration_2', 'registration_3', 'post_registration_5', '20']);
  });

  it('is not counted for a node that existed before', () => {
    const { metrics, shown } = counted();
    metrics.ready(21_000);
    expect(shown()).toEqual(['pre_kubelet_10']);
  });
});
