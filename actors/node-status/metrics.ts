import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** How this node came up, under the kubelet's names. Each step is told once: what comes later is no start. Outlives an incarnation. */
export interface StartupMetrics {
  /** All in milliseconds since the epoch. */
  triesToRegister(now: number): void;
  registered(now: number): void;
  ready(now: number): void;
}

export function startupMetrics(
  families: MetricFamilies,
  /** In milliseconds since the epoch: the machine, and this agent. */
  { bootedAt, startedAt }: { readonly bootedAt: number; readonly startedAt: number },
): StartupMetrics {
  const gauge = (step: string, help: string) =>
    families.gauge({ name: `kubelet_node_startup_${step}duration_seconds`, help });
  const before = gauge('pre_kubelet_', 'Seconds from the start of the machine to that of this agent.');
  const preparing = gauge('pre_registration_', 'Seconds from the start of this agent to its first try to register.');
  const registering = gauge('registration_', 'Seconds from the first try to register to the registered node.');
  const after = gauge('post_registration_', 'Seconds from the registered node to the ready one.');
  const whole = gauge('', 'Seconds from the start of the machine to the ready node.');
  before.set(seconds(bootedAt, startedAt));
  let [triedAt, registeredAt, readyAt] = [0, 0, 0];
  return {
    triesToRegister(now) {
      if (triedAt > 0) return;
      triedAt = now;
      preparing.set(seconds(startedAt, now));
    },
    registered(now) {
      if (triedAt === 0 || registeredAt > 0) return;
      registeredAt = now;
      registering.set(seconds(triedAt, now));
    },
    ready(now) {
      // A node that was registered before this agent began has not come up with it.
      if (registeredAt === 0 || readyAt > 0) return;
      readyAt = now;
      after.set(seconds(registeredAt, now));
      whole.set(seconds(bootedAt, now));
    },
  };
}

const seconds = (from: number, to: number): number => Math.max(0, to - from) / 1_000;
