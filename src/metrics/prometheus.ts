import { createRequire } from 'node:module';
import type * as prometheus from 'prom-client';

export type { Metric, Registry } from 'prom-client';

/**
 * The counting parts of prom-client. Its main module also loads the push gateway and the process metrics, which cost 6
 * MiB on each thread that counts.
 */
const load = createRequire(import.meta.url);

export const Counter = load('prom-client/lib/counter.js') as typeof prometheus.Counter;
export const Gauge = load('prom-client/lib/gauge.js') as typeof prometheus.Gauge;
export const Histogram = load('prom-client/lib/histogram.js') as typeof prometheus.Histogram;
const RegistryClass = load('prom-client/lib/registry.js') as typeof prometheus.Registry;

export const newRegistry = (): prometheus.Registry => new RegistryClass();
