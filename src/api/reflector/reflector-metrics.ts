import type { Counter as CounterOf } from 'prom-client';
import { Counter, type Registry } from '../../metrics/prometheus.ts';
import type { ReflectorTrouble } from './reflector-state.ts';

/** Counts interruptions of lists and watches, by kind of object. */
export function reflectorMetrics(registry: Registry): (objects: string) => (what: ReflectorTrouble) => void {
  // Several actors of a thread count here.
  const known = registry.getSingleMetric(NAME) as CounterOf<'objects' | 'trouble'> | undefined;
  const total =
    known ??
    new Counter({
      name: NAME,
      help: 'Number of interruptions of lists and watches of the API server, by resource and kind of interruption.',
      labelNames: ['objects', 'trouble'],
      registers: [registry],
    });
  return (objects) => (what) => total.inc({ objects, trouble: what });
}

const NAME = 'hivelet_reflector_troubles_total';
