import type { MetricFamilies } from '../../src/metrics/metric-families.ts';

/** What is counted of one certificate, under the kubelet's names. Outlives an incarnation. */
export interface CertificateMetrics {
  /** How many seconds it is good for is asked of this incarnation from now on; undefined: there is none. */
  goodFor(secondsLeft: () => number | undefined): void;
  /** It was renewed; `age`: seconds that the one before was used for, where there was one. */
  renewed(age: number | undefined): void;
  notRenewed(): void;
}

const ROTATION_BUCKETS: readonly number[] = [
  60, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export function certificateMetrics(families: MetricFamilies, of: 'client' | 'server'): CertificateMetrics {
  const ttl = families.gauge({
    name: `kubelet_certificate_manager_${of}_ttl_seconds`,
    help: `How long the ${of} certificate is good for, in seconds; negative when it has ended.`,
  });
  const errors = families.counter({
    name:
      of === 'client'
        ? 'kubelet_certificate_manager_client_expiration_renew_errors'
        : 'kubelet_server_expiration_renew_errors',
    help: `How often the ${of} certificate could not be renewed.`,
  });
  const rotations =
    of === 'client'
      ? undefined
      : families.histogram({
          name: 'kubelet_certificate_manager_server_rotation_seconds',
          help: 'How long server certificates were used before they were replaced, in seconds.',
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
