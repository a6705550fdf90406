import { DEFAULT_BUCKETS, type MetricFamilies } from '../metrics/metric-families.ts';
import type { PodResourcesMethod } from './pod-resources-messages.ts';

/** The facts about a request before its answer. */
export interface CountedRequest {
  readonly method: string;
  /** The requested path, undecoded and without a query. */
  readonly path: string;
  readonly server: 'readonly' | 'readwrite';
}

/** The server's counts, under the kubelet's metric names. Outlives an incarnation. */
export interface ServerMetrics {
  /** Counts a new request. Call the returned function when the request was answered, or its stream has ended. */
  request(request: CountedRequest): (seconds: number) => void;
  /** Counts a stream requested over WebSocket. */
  webSocket(endpoint: string): void;
  /** Counts a token lookup. */
  token(from: 'hit' | 'miss', seconds: number): void;
  /** Counts a token review. `code`: HTTP status, or `<error>`. */
  review(code: string, seconds: number): void;
  /** Counts an access review. */
  access(result: 'success' | 'error', seconds: number): void;
  /** Records the remaining validity of a client certificate. */
  clientCertificate(secondsLeft: number): void;
  podResources(method: PodResourcesMethod, outcome: 'ok' | 'error'): void;
}

const LABELS = ['method', 'path', 'server_type', 'long_running'];
const METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT']);
/** First segments of the known paths. Unknown paths must not create series. */
const PATHS: ReadonlySet<string> = new Set(
  (
    'attach checkpoint configz containerLogs debug exec flagz healthz logs metrics pods portForward run runningpods stats statusz' as const
  ).split(' '),
);
const LONG_RUNNING: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward', 'debug']);
const REVIEW_BUCKETS: readonly number[] = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
const HOUR = 3_600;
const DAY = 24 * HOUR;
const LEFT_BUCKETS: readonly number[] = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];
const RESOURCES_VERSION = ['v1'];

/** `metrics/cadvisor` of `/metrics/cadvisor`, `exec` of `/exec/a/web/main`, `other` of unknown paths. */
export function pathLabel(path: string): string {
  const [, first = '', second = ''] = path.split('/', 3);
  if (first === 'metrics' && ['cadvisor', 'resource', 'probes', 'slis'].includes(second)) return `metrics/${second}`;
  return PATHS.has(first) ? first : 'other';
}

export function serverMetrics(families: MetricFamilies): ServerMetrics {
  const counter = (name: string, help: string, labels: readonly string[]) => families.counter({ name, help, labels });
  const seconds = (name: string, help: string, labels: readonly string[]) =>
    families.histogram({ name, help, labels, buckets: DEFAULT_BUCKETS });
  const total = counter('kubelet_http_requests_total', 'Number of requests that were answered.', LABELS);
  const duration = seconds('kubelet_http_requests_duration_seconds', 'Seconds that answering took.', LABELS);
  const inflight = families.gauge({
    name: 'kubelet_http_inflight_requests',
    help: 'Number of requests in flight.',
    labels: LABELS,
  });
  const underWay = new Map<string, number>();
  const moreUnderWay = (labels: readonly string[], by: 1 | -1): void => {
    const key = labels.join();
    const count = (underWay.get(key) ?? 0) + by;
    underWay.set(key, count);
    inflight.set(count, labels);
  };
  const sockets = counter('kubelet_websocket_streaming_requests_total', 'Number of streams requested over WebSocket.', [
    'subresource',
  ]);
  const tokens = counter('authentication_token_cache_request_total', 'Number of token lookups, by cache hit or miss.', [
    'status',
  ]);
  const tokenTimes = seconds('authentication_token_cache_request_duration_seconds', 'Seconds that took.', ['status']);
  const fetches = counter('authentication_token_cache_fetch_total', 'Number of token reviews after a cache miss.', [
    'status',
  ]);
  const reviews = counter('apiserver_delegated_authn_request_total', 'Number of token reviews, by HTTP status.', [
    'code',
  ]);
  const reviewTimes = families.histogram({
    name: 'apiserver_delegated_authn_request_duration_seconds',
    help: 'Duration of token reviews in seconds.',
    labels: ['code'],
    buckets: REVIEW_BUCKETS,
  });
  const webhook = ['name', 'result'];
  const evaluations = counter(
    'apiserver_authorization_webhook_evaluations_total',
    'Number of access reviews.',
    webhook,
  );
  const accessTimes = seconds('apiserver_authorization_webhook_duration_seconds', 'Seconds they took.', webhook);
  const left = families.histogram({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'Remaining validity of the certificates that clients present.',
    buckets: LEFT_BUCKETS,
  });
  const resources = (name: string) =>
    counter(`kubelet_pod_resources_endpoint_${name}`, `Pod resources: ${name.replaceAll('_', ' ')}.`, [
      'server_api_version',
    ]);
  const resourcesTotal = resources('requests_total');
  const resourcesBy = {
    List: { requests: resources('requests_list'), errors: resources('errors_list') },
    GetAllocatableResources: {
      requests: resources('requests_get_allocatable'),
      errors: resources('errors_get_allocatable'),
    },
    Get: { requests: resources('requests_get'), errors: resources('errors_get') },
  };
  return {
    request({ method, path, server }) {
      const label = pathLabel(path);
      const verb = METHODS.has(method) ? method : 'other';
      const labels = [verb, label, server, String(LONG_RUNNING.has(label))];
      moreUnderWay(labels, 1);
      return (took) => {
        moreUnderWay(labels, -1);
        total.add(labels);
        duration.observe(took, labels);
      };
    },
    webSocket: (endpoint) => sockets.add([endpoint]),
    token(from, took) {
      tokens.add([from]);
      tokenTimes.observe(took, [from]);
    },
    review(code, took) {
      fetches.add([code === '200' ? 'ok' : 'error']);
      reviews.add([code]);
      reviewTimes.observe(took, [code]);
    },
    access(result, took) {
      evaluations.add(['kubelet', result]);
      accessTimes.observe(took, ['kubelet', result]);
    },
    clientCertificate: (secondsLeft) => left.observe(secondsLeft),
    podResources(method, outcome) {
      resourcesTotal.add(RESOURCES_VERSION);
      resourcesBy[method].requests.add(RESOURCES_VERSION);
      if (outcome === 'error') resourcesBy[method].errors.add(RESOURCES_VERSION);
    },
  };
}
