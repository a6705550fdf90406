import { Counter, Histogram, type Registry } from '../../metrics/prometheus.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../api-request.ts';

/** Counts calls to the API server under the metric names that every Kubernetes client uses. */
export interface RequestMetrics {
  observe(request: Pick<ApiRequest, 'verb'>, seconds: number, outcome: ApiOutcome<unknown>): void;
  retried(request: Pick<ApiRequest, 'verb'>, fault: ApiFault): void;
  /** How long a call waited for its turn. */
  waited(request: Pick<ApiRequest, 'verb'>, seconds: number): void;
}

const methods = { get: 'GET', list: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

export function requestMetrics(registry: Registry, host: string): RequestMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const duration = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds. Broken down by verb, and host.',
    labelNames: ['verb', 'host'],
    buckets,
    registers,
  });
  const waiting = new Histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Client side rate limiter latency in seconds. Broken down by verb, and host.',
    labelNames: ['verb', 'host'],
    buckets,
    registers,
  });
  const retries = new Counter({
    name: 'rest_client_request_retries_total',
    help: 'Number of request retries, partitioned by status code, verb, and host.',
    labelNames: ['code', 'verb', 'host'],
    registers,
  });
  return {
    observe({ verb }, seconds, outcome) {
      const method = methods[verb];
      total.inc({ code: outcome.ok ? '200' : codeOf(outcome.fault), method, host });
      duration.observe({ verb: method, host }, seconds);
    },
    retried: ({ verb }, fault) => retries.inc({ code: codeOf(fault), verb: methods[verb], host }),
    waited: ({ verb }, seconds) => waiting.observe({ verb: methods[verb], host }, seconds),
  };
}

const codeOf = (fault: ApiFault): string => (fault.kind === 'refused' ? String(fault.code) : '<error>');
