import type { MetricFamilies } from '../../metrics/metric-families.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../api-request.ts';
import type { ContentForm } from './content-forms.ts';

/** Counts calls to the API server under the metric names that every Kubernetes client uses. */
export interface RequestMetrics {
  observe(request: Pick<ApiRequest, 'verb'>, seconds: number, outcome: ApiOutcome<unknown>): void;
  retried(request: Pick<ApiRequest, 'verb'>, fault: ApiFault): void;
  /** How long a call waited for its turn. */
  waited(request: Pick<ApiRequest, 'verb'>, seconds: number): void;
}

const methods = { get: 'GET', list: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

export function requestMetrics(families: MetricFamilies, host: string): RequestMetrics {
  const total = families.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  const duration = families.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds. Broken down by verb, and host.',
    labels: ['verb', 'host'],
    buckets,
  });
  const waiting = families.histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Client side rate limiter latency in seconds. Broken down by verb, and host.',
    labels: ['verb', 'host'],
    buckets,
  });
  const retries = families.counter({
    name: 'rest_client_request_retries_total',
    help: 'Number of request retries, partitioned by status code, verb, and host.',
    labels: ['code', 'verb', 'host'],
  });
  return {
    observe({ verb }, seconds, outcome) {
      const method = methods[verb];
      total.add([outcome.ok ? '200' : codeOf(outcome.fault), method, host]);
      duration.observe(seconds, [method, host]);
    },
    retried: ({ verb }, fault) => retries.add([codeOf(fault), methods[verb], host]),
    waited: ({ verb }, seconds) => waiting.observe(seconds, [methods[verb], host]),
  };
}

const ANSWERS = {
  name: 'hivelet_api_answers_total',
  help: 'Number of answers and watches that the API server began, by resource and encoding.',
  labels: ['resource', 'encoding'],
};

/** Counts answers by their form. The resources are those that the agent asks for. */
export function answerMetrics(families: MetricFamilies): (resource: string, form: ContentForm) => void {
  const total = families.counter(ANSWERS);
  return (resource, form) => total.add([resource, form]);
}

const codeOf = (fault: ApiFault): string => (fault.kind === 'refused' ? String(fault.code) : '<error>');
