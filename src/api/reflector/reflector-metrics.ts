import type { MetricFamilies } from '../../metrics/metric-families.ts';
import type { ReflectorInterruption } from './reflector-state.ts';

const INTERRUPTIONS = {
  name: 'hivelet_reflector_troubles_total',
  help: 'Number of times that following objects of the API was interrupted, by kind of object and of trouble.',
  labels: ['objects', 'trouble'],
};

/** Counts what interrupts following objects, by kind of object. Several actors of a thread count here. */
export function reflectorMetrics(families: MetricFamilies): (objects: string) => (what: ReflectorInterruption) => void {
  const total = families.counter(INTERRUPTIONS);
  return (objects) => (what) => total.add([objects, what]);
}
