import { labelText, MetricText } from '../stats/metric-text.ts';

interface HealthCounts {
  passed: boolean;
  success: number;
  error: number;
}

/** Counts the results of health checks, for service level indicators (KEP-3466). */
export class HealthSlis {
  readonly #counts = new Map<string, HealthCounts>();

  observe(name: string, problem: string | undefined): void {
    const counts = this.#counts.get(name) ?? { passed: false, success: 0, error: 0 };
    counts.passed = problem === undefined;
    counts[counts.passed ? 'success' : 'error'] += 1;
    this.#counts.set(name, counts);
  }

  /** Runs every check once. */
  async sample(checks: ReadonlyMap<string, () => Promise<string | undefined>>): Promise<void> {
    await Promise.all([...checks].map(async ([name, check]) => this.observe(name, await check())));
  }

  reset(): void {
    this.#counts.clear();
  }

  /** Prometheus text. */
  text(): string {
    const text = new MetricText();
    const state = text.family('kubernetes_healthcheck', 'gauge', '[STABLE] Whether the latest of this check passed.');
    for (const [name, { passed }] of this.#counts) state.add(labelText({ name, type: 'healthz' }), passed ? 1 : 0);
    const total = text.family('kubernetes_healthchecks_total', 'counter', '[STABLE] Checks by what they came to.');
    for (const [name, counts] of this.#counts) {
      for (const status of ['success', 'error'] as const) {
        if (counts[status] > 0) total.add(labelText({ name, status, type: 'healthz' }), counts[status]);
      }
    }
    return text.toString();
  }
}
