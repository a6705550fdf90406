import type { WallMs } from '../../src/actor/clock.ts';
import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/**
 * Durations of this node's start, under the kubelet's names. Each step counts once: later repetitions are no start.
 * Outlives an incarnation.
 */
export interface StartupMetrics {
  /** All instants are milliseconds since the epoch. */
  triesToRegister(now: WallMs): void;
  registered(now: WallMs): void;
  ready(now: WallMs): void;
}

export function startupMetrics(
  families: MetricFamilies,
  /** Start of the machine and of this agent, in milliseconds since the epoch. */
  { bootedAt, startedAt }: { readonly bootedAt: WallMs; readonly startedAt: WallMs },
): StartupMetrics {
  const gauge = (step: string, help: string) =>
    families.gauge({ name: `kubelet_node_startup_${step}duration_seconds`, help });
  const before = gauge('pre_kubelet_', 'Seconds from the start of the machine to the start of this agent.');
  const preparing = gauge(
    'pre_registration_',
    'Seconds from the start of this agent to its first attempt to register.',
  );
  const registering = gauge('registration_', 'Seconds from the first attempt to register to the registered node.');
  const after = gauge('post_registration_', 'Seconds from the registered node to the ready node.');
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
      // A node that was registered before this agent started did not start up with this agent.
      if (registeredAt === 0 || readyAt > 0) return;
      readyAt = now;
      after.set(seconds(registeredAt, now));
      whole.set(seconds(bootedAt, now));
    },
  };
}

const seconds = (from: number, to: number): number => Math.max(0, to - from) / 1_000;
