import { expect, it } from 'vitest';
import { imageManagerMetrics } from '../../../actors/image-manager/metrics.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { ProviderLogins } from '../../../src/images/provider-logins.ts';

const provider = {
  name: 'logins',
  places: ['registry.test'],
  defaultCacheMs: 0,
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  args: [],
  env: {},
};

it('programs of credential providers are counted, with how long they took and whether they failed', async () => {
  const families = new MetricFamilies();
  const metrics = imageManagerMetrics(families, [provider]);
  let now = 0;
  const logins = new ProviderLogins({
    providers: [provider],
    now: () => now,
    warn: () => undefined,
    ran: (name, run) => metrics.asked(name, run),
    run() {
      now += 2_000;
      return Promise.resolve({ ok: false, problem: 'ended with 1' });
    },
  });
  await logins.loginsFor('registry.test/app');
  metrics.records(() => ({ intents: 1, records: 2 }));
  metrics.checked('mustAuthenticate');
  const text = families.text();
  for (const line of [
    'kubelet_credential_provider_plugin_errors_total{plugin_name="logins"} 1',
    'kubelet_credential_provider_plugin_duration_sum{plugin_name="logins"} 2',
    'kubelet_imagemanager_ondisk_pullintents 1',
    'kubelet_imagemanager_ondisk_pulledrecords 2',
    'kubelet_imagemanager_image_mustpull_checks_total{result="mustAuthenticate"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).toMatch(/kubelet_credential_provider_config_info\{hash="sha256:[0-9a-f]{64}"\} 1/);
});
