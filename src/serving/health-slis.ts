import { labelText, MetricText } from '../stats/metric-text.ts';

interface Tally {
  passed: boolean;
  success: number;
  error: number;
}

/** Counts the results of health checks, for service level indicators (KEP-3466). */
export class HealthSlis {
  readonly #tallies = new Map<string, Tally>();

  observe(name: string, problem: string | undefined): void {
    const tally = this.#tallies.get(name) ?? { passed: false, success: 0, error: 0 };
    tally.passed = problem === undefined;
    tally[tally.passed ? 'success' : 'error'] += 1;
    this.#tallies.set(name, tally);
  }

  /** Runs every check once. */
  async look(checks: ReadonlyMap<string, () => Promise<string | undefined>>): Promise<void> {
    await Promise.all([...checks].map(async ([name, check]) => this.observe(name, await check())));
  }

  reset(): void {
    this.#tallies.clear();
  }

  /** Prometheus text. */
  text(): string {
    const text = new MetricText();
    const state = text.family('kubernetes_healthcheck', 'gauge', '[STABLE] Whether the latest of this check passed.');
    for (const [name, { passed }] of this.#tallies) state.add(labelText({ name, type: 'healthz' }), passed ? 1 : 0);
    const total = text.family('kubernetes_healthchecks_total', 'counter', '[STABLE] Checks by what they came to.');
    for (const [name, tally] of this.#tallies) {
      for (const status of ['success', 'error'] as const) {
        if (tally[status] > 0) total.add(labelText({ name, status, type: 'healthz' }), tally[status]);
      }
    }
    return text.toString();
  }
}
