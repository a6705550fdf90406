import { trimEndOf, trimStartOf } from '../kube/text/trim-run.ts';

const streamEndpoints = ['exec', 'attach', 'port-forward'] as const;
/**
 * The endpoints that answer with a stream of a client's own protocol. No other endpoint may upgrade its connection.
 */
export type StreamEndpoint = (typeof streamEndpoints)[number];

const isOneOf = <T extends string>(names: readonly T[], name: string): name is T =>
  (names as readonly string[]).includes(name); // widened to accept any text

export const isStreamEndpoint = (name: EndpointName): name is StreamEndpoint => isOneOf(streamEndpoints, name);

/** Every endpoint of the kubelet's server, by the name of its handler. */
export type EndpointName =
  | StreamEndpoint
  | 'healthz'
  | 'slis'
  | 'pods'
  | 'stats-summary'
  | 'metrics'
  | 'metrics-cadvisor'
  | 'metrics-resource'
  | 'metrics-probes'
  | 'run'
  | 'container-logs'
  | 'configz'
  | 'running-pods'
  | 'checkpoint'
  | 'statusz'
  | 'flagz'
  | 'node-logs'
  | 'profile'
  | 'flags';

/** The configuration switches that disable endpoints. */
export interface ServerSwitches {
  readonly debuggingHandlers: boolean;
  readonly systemLogHandler: boolean;
  readonly profilingHandler: boolean;
  readonly debugFlagsHandler: boolean;
  readonly containerCheckpoint: boolean;
  readonly statusz: boolean;
  readonly flagz: boolean;
  /** `true` when `healthz` and similar subresources are authorized apart from `proxy` (KEP-2862). */
  readonly fineGrainedAuthorization: boolean;
}

interface Endpoint {
  readonly name: EndpointName;
  /** Segments; `{x}` matches one, a last `*` matches the rest. */
  readonly path: string;
  /** Absent: every method. */
  readonly methods?: readonly string[];
  readonly group: 'always' | 'debugging';
  /**
   * The switch of the endpoint. `absent`: without the switch the path does not exist; otherwise the text of the
   * 405.
   */
  readonly needs?: keyof ServerSwitches;
  readonly without?: string;
}

const GET = ['GET'] as const;
const GET_OR_POST = ['GET', 'POST'] as const;

const always = (name: EndpointName, path: string, methods?: readonly string[]): Endpoint => ({
  name,
  path,
  group: 'always',
  ...(methods !== undefined && { methods }),
});
const debugging = (
  name: EndpointName,
  path: string,
  more: Pick<Endpoint, 'methods' | 'needs' | 'without'> = {},
): Endpoint => ({ name, path, group: 'debugging', ...more });

/** Every path of the server, once. The first match answers. */
export const endpoints: readonly Endpoint[] = [
  always('healthz', '/healthz'),
  always('healthz', '/healthz/{check}'),
  always('slis', '/metrics/slis', ['GET', 'DELETE']),
  always('pods', '/pods', GET),
  always('stats-summary', '/stats/summary', GET_OR_POST),
  always('metrics', '/metrics'),
  always('metrics-cadvisor', '/metrics/cadvisor'),
  always('metrics-resource', '/metrics/resource'),
  always('metrics-probes', '/metrics/probes'),
  debugging('run', '/run/{namespace}/{pod}/{container}', { methods: ['POST'] }),
  debugging('run', '/run/{namespace}/{pod}/{uid}/{container}', { methods: ['POST'] }),
  debugging('exec', '/exec/{namespace}/{pod}/{container}', { methods: GET_OR_POST }),
  debugging('exec', '/exec/{namespace}/{pod}/{uid}/{container}', { methods: GET_OR_POST }),
  debugging('attach', '/attach/{namespace}/{pod}/{container}', { methods: GET_OR_POST }),
  debugging('attach', '/attach/{namespace}/{pod}/{uid}/{container}', { methods: GET_OR_POST }),
  debugging('port-forward', '/portForward/{namespace}/{pod}', { methods: GET_OR_POST }),
  debugging('port-forward', '/portForward/{namespace}/{pod}/{uid}', { methods: GET_OR_POST }),
  debugging('container-logs', '/containerLogs/{namespace}/{pod}/{container}', { methods: GET }),
  debugging('configz', '/configz'),
  debugging('running-pods', '/runningpods', { methods: GET }),
  debugging('checkpoint', '/checkpoint/{namespace}/{pod}/{container}', {
    methods: ['POST'],
    needs: 'containerCheckpoint',
  }),
  debugging('statusz', '/statusz', { methods: GET, needs: 'statusz' }),
  debugging('flagz', '/flagz', { methods: GET, needs: 'flagz' }),
  debugging('node-logs', '/logs', { methods: GET, needs: 'systemLogHandler', without: 'logs endpoint is disabled.' }),
  debugging('node-logs', '/logs/*', { methods: GET, needs: 'systemLogHandler', without: 'logs endpoint is disabled.' }),
  debugging('profile', '/debug/pprof/*', {
    methods: GET,
    needs: 'profilingHandler',
    without: 'profiling endpoint is disabled.',
  }),
  debugging('flags', '/debug/flags/v', {
    methods: ['PUT'],
    needs: 'debugFlagsHandler',
    without: 'flags endpoint is disabled.',
  }),
];

/** On a server without debugging handlers these paths do not exist; other paths answer that they are disabled. */
const absentWhenDisabled: ReadonlySet<EndpointName> = new Set(['configz', 'checkpoint', 'statusz', 'flagz']);

export const DEBUGGING_DISABLED = 'Debug endpoints are disabled.';

export type FoundEndpoint =
  | { readonly type: 'endpoint'; readonly name: EndpointName; readonly parameters: ReadonlyMap<string, string> }
  | { readonly type: 'refused'; readonly status: 404 | 405; readonly text: string };

/** Returns the endpoint of a request. `path` is not decoded: an escaped slash stays part of its segment. */
export function findEndpoint(method: string, path: string, switches: ServerSwitches): FoundEndpoint {
  const segments = segmentsOf(path);
  let isThere = false;
  for (const endpoint of endpoints) {
    const parameters = segments && parametersOf(endpoint.path, segments);
    if (parameters === undefined) continue;
    const refused = refusalOf(endpoint, switches);
    if (refused !== undefined) return refused;
    isThere = true;
    const asked = method === 'HEAD' ? 'GET' : method;
    if (endpoint.methods === undefined || endpoint.methods.includes(asked)) {
      return { type: 'endpoint', name: endpoint.name, parameters };
    }
  }
  return isThere
    ? { type: 'refused', status: 405, text: '405: Method Not Allowed' }
    : { type: 'refused', status: 404, text: '404 page not found' };
}

function refusalOf(endpoint: Endpoint, switches: ServerSwitches): FoundEndpoint | undefined {
  const absent: FoundEndpoint = { type: 'refused', status: 404, text: '404 page not found' };
  if (endpoint.group === 'debugging' && !switches.debuggingHandlers) {
    if (absentWhenDisabled.has(endpoint.name)) return absent;
    return { type: 'refused', status: 405, text: DEBUGGING_DISABLED };
  }
  if (endpoint.needs === undefined || switches[endpoint.needs]) return undefined;
  return endpoint.without === undefined ? absent : { type: 'refused', status: 405, text: endpoint.without };
}

/** `undefined` when an escape is malformed, or a segment would leave its folder. */
function segmentsOf(path: string): readonly string[] | undefined {
  try {
    const segments = trimEndOf(trimStartOf(path, '/'), '/')
      .split('/')
      .map((part) => decodeURIComponent(part));
    return segments.some((part) => part === '.' || part === '..' || part.includes('\0')) ? undefined : segments;
  } catch {
    return undefined;
  }
}

function parametersOf(pattern: string, segments: readonly string[]): ReadonlyMap<string, string> | undefined {
  const parts = pattern.slice(1).split('/');
  const takesRest = parts.at(-1) === '*';
  if (takesRest ? segments.length < parts.length - 1 : segments.length !== parts.length) return undefined;
  const parameters = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part === '*') parameters.set('rest', segments.slice(index).join('/'));
    else if (part.startsWith('{')) parameters.set(part.slice(1, -1), segment);
    else if (part !== segment) return undefined;
  }
  return parameters;
}
