import { createHash } from 'node:crypto';
import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { CredentialProvider } from '../../src/images/credential-provider-config.ts';

/**
 * The reason why a pod may use a present image, or `mustAuthenticate` when the pod must authenticate with the registry
 * first.
 */
export type ImageCheck = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate';

/** Metrics of the image manager, under the kubelet's names. Outlives an incarnation. */
export interface ImageManagerMetrics {
  checked(result: ImageCheck): void;
  /** Observes a run of a credential provider's plugin. */
  asked(provider: string, run: { readonly seconds: number; readonly failed: boolean }): void;
  /** Sets the function that the gauges of intents and records read from now on. */
  records(counts: () => { readonly intents: number; readonly records: number }): void;
}

/** `providers`: the configured credential providers. */
export function imageManagerMetrics(
  families: MetricFamilies,
  providers: readonly CredentialProvider[],
): ImageManagerMetrics {
  const onDisk = (what: string, help: string) => families.gauge({ name: `kubelet_imagemanager_ondisk_${what}`, help });
  const intents = onDisk('pullintents', 'Number of pull intents on disk: pulls whose end is not recorded yet.');
  const records = onDisk('pulledrecords', 'Number of pulled image records on disk.');
  const checks = families.counter({
    name: 'kubelet_imagemanager_image_mustpull_checks_total',
    help: 'Number of checks whether a pod may use an image, by result.',
    labels: ['result'],
  });
  const errors = families.counter({
    name: 'kubelet_credential_provider_plugin_errors_total',
    help: 'Number of failed runs of a credential provider plugin.',
    labels: ['plugin_name'],
  });
  const durations = families.histogram({
    name: 'kubelet_credential_provider_plugin_duration',
    help: 'Duration of runs of a credential provider plugin, in seconds.',
    labels: ['plugin_name'],
    buckets: DEFAULT_BUCKETS,
  });
  const config = families.gauge({
    name: 'kubelet_credential_provider_config_info',
    help: 'Hash of the configured credential providers.',
    labels: ['hash'],
  });
  if (providers.length > 0) {
    config.set(1, [`sha256:${createHash('sha256').update(JSON.stringify(providers)).digest('hex')}`]);
  }
  return {
    checked: (result) => checks.add([result]),
    asked(provider, { seconds, failed }) {
      durations.observe(seconds, [provider]);
      if (failed) errors.add([provider]);
    },
    records(counts) {
      intents.readBy(() => [[[], counts().intents]]);
      records.readBy(() => [[[], counts().records]]);
    },
  };
}
