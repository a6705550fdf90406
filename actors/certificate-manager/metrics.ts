import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** Metrics of one certificate, under the kubelet's names. Outlives an incarnation. */
export interface CertificateMetrics {
  /** Sets the function that the gauge reads from now on; `undefined` when there is no certificate. */
  goodFor(secondsLeft: () => number | undefined): void;
  /** Counts a renewal. `age`: seconds for which the previous certificate was used; `undefined` when there was none. */
  renewed(age: number | undefined): void;
  notRenewed(): void;
}

const ROTATION_BUCKETS: readonly number[] = [
  60, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export function certificateMetrics(families: MetricFamilies, of: 'client' | 'server'): CertificateMetrics {
  const ttl = families.gauge({
    name: `kubelet_certificate_manager_${of}_ttl_seconds`,
    help: `Seconds until the ${of} certificate expires; negative when it has expired.`,
  });
  const errors = families.counter({
    name:
      of === 'client'
        ? 'kubelet_certificate_manager_client_expiration_renew_errors'
        : 'kubelet_server_expiration_renew_errors',
    help: `Number of failed renewals of the ${of} certificate.`,
  });
  const rotations =
    of === 'client'
      ? undefined
      : families.histogram({
          name: 'kubelet_certificate_manager_server_rotation_seconds',
          help: 'Seconds for which server certificates were used before their replacement.',
          buckets: ROTATION_BUCKETS,
        });
  return {
    goodFor(secondsLeft) {
      ttl.readBy(() => {
        const left = secondsLeft();
        return left === undefined ? [] : [[[], left]];
      });
    },
    renewed(age) {
      if (age !== undefined) rotations?.observe(age);
    },
    notRenewed: () => errors.add(),
  };
}
