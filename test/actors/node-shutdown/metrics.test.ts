import { expect, it } from 'vitest';
import { shutdownMetrics } from '../../../actors/node-shutdown/metrics.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';

it('a running shutdown has a start time, a finished one also an end time, and before the first there is neither', () => {
  const families = new MetricFamilies();
  const metrics = shutdownMetrics(families);
  const said = (): readonly string[] =>
    families
      .text()
      .split('\n')
      .filter((line) => line.startsWith('kubelet'));
  const [start, end] = ['start', 'end'].map((which) => `kubelet_graceful_shutdown_${which}_time_seconds`);
  expect(said()).toEqual([`${start} 0`, `${end} 0`]);
  const startTime = '2026-01-01T00:00:00.000Z';
  metrics.times({ startTime });
  expect(said()).toEqual([`${start} 1767225600`, `${end} 0`]);
  metrics.times({ startTime, endTime: '2026-01-01T00:00:30.000Z' });
  expect(said()).toEqual([`${start} 1767225600`, `${end} 1767225630`]);
});
