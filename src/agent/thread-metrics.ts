import { MetricFamilies } from '../metrics/metric-families.ts';
import type { Registry } from '../metrics/prometheus.ts';

/** The metrics of one thread. The first actor that uses the library loads it; the families themselves are cheap. */
export class ThreadMetrics {
  readonly families = new MetricFamilies();
  #registry: Registry | undefined;

  async registry(): Promise<Registry> {
    if (this.#registry === undefined) {
      const { newRegistry } = await import('../metrics/prometheus.ts');
      this.#registry ??= newRegistry();
    }
    return this.#registry;
  }

  async text(): Promise<string> {
    const ofRegistry = this.#registry === undefined ? '' : await this.#registry.metrics();
    return this.families.text() + ofRegistry;
  }
}
