import type { MetricFamilies } from '../../metrics/metric-families.ts';
import type { ReflectorTrouble } from './reflector-state.ts';

const TROUBLES = {
  name: 'hivelet_reflector_troubles_total',
  help: 'Number of times that following objects of the API was interrupted, by kind of object and of trouble.',
  labels: ['objects', 'trouble'],
};

/** Counts what interrupts following objects, by kind of object. Several actors of a thread count here. */
export function reflectorMetrics(families: MetricFamilies): (objects: string) => (what: ReflectorTrouble) => void {
  const total = families.counter(TROUBLES);
  return (objects) => (what) => total.add([objects, what]);
}
