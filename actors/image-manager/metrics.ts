import { createHash } from 'node:crypto';
import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { CredentialProvider } from '../../src/images/credential-provider-config.ts';

/** Why a pod may use an image that is there, or that it has to show the registry first that it may. */
export type ImageCheck = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate';

/** What the image manager counts, under the kubelet's names. Outlives an incarnation. */
export interface ImageManagerMetrics {
  checked(result: ImageCheck): void;
  /** The program of a credential provider has run. */
  asked(provider: string, run: { readonly seconds: number; readonly failed: boolean }): void;
  /** What is written down is counted here from now on, when somebody looks. */
  records(counts: () => { readonly intents: number; readonly records: number }): void;
}

/** `providers`: as they are configured. */
export function imageManagerMetrics(
  families: MetricFamilies,
  providers: readonly CredentialProvider[],
): ImageManagerMetrics {
  const onDisk = (what: string, help: string) => families.gauge({ name: `kubelet_imagemanager_ondisk_${what}`, help });
  const intents = onDisk('pullintents', 'Pulls that have begun, and of whose end nothing is written down.');
  const records = onDisk('pulledrecords', 'Images of which it is written down by whose leave they were pulled.');
  const checks = families.counter({
    name: 'kubelet_imagemanager_image_mustpull_checks_total',
    help: 'How often it was looked up whether a pod may use an image, by what came of it.',
    labels: ['result'],
  });
  const errors = families.counter({
    name: 'kubelet_credential_provider_plugin_errors_total',
    help: 'How often the program of a credential provider has failed.',
    labels: ['plugin_name'],
  });
  const durations = families.histogram({
    name: 'kubelet_credential_provider_plugin_duration',
    help: 'Seconds that the program of a credential provider took.',
    labels: ['plugin_name'],
    buckets: DEFAULT_BUCKETS,
  });
  const config = families.gauge({
    name: 'kubelet_credential_provider_config_info',
    help: 'Of which credential providers are configured, a hash.',
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
