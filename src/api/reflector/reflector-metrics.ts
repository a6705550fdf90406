import type { Counter as CounterOf } from 'prom-client';
import { Counter, type Registry } from '../../metrics/prometheus.ts';
import type { ReflectorTrouble } from './reflector-state.ts';

/** Counts what interrupts following objects, by kind of object. */
export function reflectorMetrics(registry: Registry): (objects: string) => (what: ReflectorTrouble) => void {
  // Several actors of a thread count here.
  const known = registry.getSingleMetric(NAME) as CounterOf<'objects' | 'trouble'> | undefined;
  const total =
    known ??
    new Counter({
      name: NAME,
      help: 'Number of times that following objects of the API was interrupted, by kind of object and of trouble.',
      labelNames: ['objects', 'trouble'],
      registers: [registry],
    });
  return (objects) => (what) => total.inc({ objects, trouble: what });
}

const NAME = 'hivelet_reflector_troubles_total';
