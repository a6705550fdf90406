import { DEFAULT_BUCKETS, type MetricFamilies } from '../metrics/metric-families.ts';
import type { Cgroups } from './cgroups.ts';

const DURATION = {
  name: 'kubelet_cgroup_manager_duration_seconds',
  help: 'Seconds that operations on cgroups took, by operation.',
  labels: ['operation_type'],
  buckets: DEFAULT_BUCKETS,
};

/** Cgroups whose changes are timed, under the kubelet's name. */
export function timedCgroups(
  cgroups: Cgroups,
  { families, seconds }: { readonly families: MetricFamilies; readonly seconds: () => number },
): Cgroups {
  const duration = families.histogram(DURATION);
  const timed = <Result>(operation: string, run: () => Result): Result => {
    const began = seconds();
    const result = run();
    duration.observe(seconds() - began, [operation]);
    return result;
  };
  return {
    exists: (path) => cgroups.exists(path),
    valuesOf: (path) => cgroups.valuesOf(path),
    childrenOf: (path) => cgroups.childrenOf(path),
    set: (path, values) => timed('update', () => cgroups.set(path, values)),
    remove: (path) => timed('destroy', () => cgroups.remove(path)),
    removeEmpty: (path) => timed('destroy', () => cgroups.removeEmpty(path)),
  };
}
