import { afterEach, describe, expect, it } from 'vitest';
import { MetricFamilies } from '../../src/metrics/metric-families.ts';
import { pathLabel, serverMetrics } from '../../src/serving/server-metrics.ts';
import { ask, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

describe('a request is counted under', () => {
  it.each([
    ['/metrics', 'metrics'],
    ['/metrics/cadvisor', 'metrics/cadvisor'],
    ['/metrics/whatever', 'metrics'],
    ['/exec/a/web/main', 'exec'],
    ['/containerLogs/a/web/main', 'containerLogs'],
    ['/stats/summary', 'stats'],
    ['/', 'other'],
    ['/../etc/passwd', 'other'],
    ['/%65xec/a', 'other'],
  ])('%s as %s', (path, label) => {
    expect(pathLabel(path)).toBe(label);
  });
});

describe("the server's metrics", () => {
  let opened: ServerUnderTest | undefined;
  afterEach(() => opened?.server.close());

  it('count requests by status, tokens by the source of their user, and reviews by their answer', async () => {
    const families = new MetricFamilies();
    const server = (opened = await serverUnderTest({ metrics: serverMetrics(families) }));
    server.reviews.tokens.set('t', { username: 'prometheus', groups: [] });
    server.reviews.rights.add('prometheus *');
    for (const token of ['t', 't', 'wrong']) await ask(server, '/metrics', { token });
    server.reviews.isDown = true;
    await ask(server, '/pods', { token: 'unknown' });
    const text = families.text();
    const labels = (path: string) => `{method="GET",path="${path}",server_type="readwrite",long_running="false"}`;
    for (const line of [
      `kubelet_http_requests_total${labels('metrics')} 3`,
      `kubelet_http_requests_duration_seconds_count${labels('metrics')} 3`,
      `kubelet_http_requests_total${labels('pods')} 1`,
      `kubelet_http_inflight_requests${labels('pods')} 0`,
      'authentication_token_cache_request_total{status="hit"} 1',
      'authentication_token_cache_request_total{status="miss"} 3',
      'authentication_token_cache_fetch_total{status="error"} 1',
      'apiserver_delegated_authn_request_total{code="200"} 2',
      'apiserver_delegated_authn_request_total{code="<error>"} 1',
      'apiserver_authorization_webhook_evaluations_total{name="kubelet",result="success"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it("show how long clients' certificates are still valid", async () => {
    const families = new MetricFamilies();
    const server = (opened = await serverUnderTest({ metrics: serverMetrics(families) }));
    const certificate = await server.ca.issue('CN=admin');
    await ask(server, '/pods', { certificate });
    expect(families.text()).toContain('apiserver_client_certificate_expiration_seconds_count 1\n');
    expect(families.text()).toContain('apiserver_client_certificate_expiration_seconds_bucket{le="31104000"} 0\n');
  });
});
