import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** The times of the last graceful shutdown, under the kubelet's names. */
export interface ShutdownMetrics {
  /** The times as recorded in the state file. */
  times(times: { readonly startTime?: string | undefined; readonly endTime?: string }): void;
}

export function shutdownMetrics(families: MetricFamilies): ShutdownMetrics {
  const gauge = (which: 'start' | 'end') =>
    families.gauge({
      name: `kubelet_graceful_shutdown_${which}_time_seconds`,
      help: `Time of the ${which} of the last graceful shutdown, in seconds since the epoch.`,
    });
  const [start, end] = [gauge('start'), gauge('end')];
  const seconds = (time: string | undefined): number => (time === undefined ? 0 : Date.parse(time) / 1000);
  start.set(0);
  end.set(0);
  return {
    times({ startTime, endTime }) {
      start.set(seconds(startTime));
      end.set(seconds(endTime));
    },
  };
}
