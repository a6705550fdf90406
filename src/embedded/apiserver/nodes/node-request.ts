import { own } from '../../../kube/text/own.ts';
import { type ApiObject, membersOf } from '../store/api-object.ts';
import type { ApiCore } from '../store/api-core.ts';
import { forbiddenField, invalidValue } from '../store/field-causes.ts';
import { nodeKind } from '../kinds/node-kind.ts';
import { podKind } from '../kinds/pod-kind.ts';
import { badRequest, invalid, notImplemented, Refusal } from '../store/refusal.ts';
import type { ResourcePath } from '../http/request-path.ts';

/** The address of a node's server, and the request for it. */
export interface NodeRequest {
  readonly host: string;
  readonly port: number;
  /** Path and query, as the node's server knows them. */
  readonly path: string;
  /** Set when the pod itself is called, and not its node. */
  readonly podScheme?: 'http' | 'https';
}

/**
 * Translates a node subresource call into a request to the node's server. `undefined` when there is no server to
 * ask. Throws a `Refusal` when the node does not exist.
 */
export function nodeRequest(core: ApiCore, named: ResourcePath): NodeRequest | undefined {
  const name = named.name ?? '';
  if (named.resource === 'nodes') {
    const query = named.query.toString();
    const [nodeName = ''] = name.split(':');
    return { ...nodeAddress(core, nodeName), path: `/${escaped(named.rest)}${query === '' ? '' : `?${query}`}` };
  }
  if (named.subresource === 'proxy') return podRequest(core, named);
  if (named.subresource === 'log') refuseLogOptions(name, named.query);
  const pod = core.stored(podKind, named.namespace, name);
  const nodeName = membersOf(pod, 'spec')['nodeName'];
  const path = podPath(pod, named);
  // A pod without a node has no log.
  if (!nodeName && named.subresource === 'log') return undefined;
  if (typeof nodeName !== 'string' || nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  return { ...nodeAddress(core, nodeName), path };
}

/** Escapes text from one path for another: a line break must not end the request line. */
const escaped = (rest: string): string => rest.split('/').map(encodeURIComponent).join('/');

/**
 * `pods/[<scheme>:]<name>[:<port>]/proxy/...`: the pod itself is called, at its address. Without a port, the first
 * port that one of its containers declares is used.
 */
function podRequest(core: ApiCore, { namespace, name = '', rest, query }: ResourcePath): NodeRequest {
  const [, scheme = 'http', podName = '', asked] = /^(?:(https?):)?([^:]*)(?::(\d+))?$/.exec(name) ?? [];
  if (podName === '') throw badRequest(`invalid pod request ${JSON.stringify(name)}`);
  const pod = core.stored(podKind, namespace, podName);
  const host = membersOf(pod, 'status')['podIP'];
  if (typeof host !== 'string' || host === '') throw badRequest(`pod ${podName} has no address yet`);
  // Services on the API server's own machine must not be reachable through it.
  if (/^(127\.|169\.254\.|::1$|fe80:)/i.test(host)) throw badRequest('address not allowed');
  const text = query.toString();
  return {
    host,
    port: asked === undefined ? (firstPortOf(pod) ?? (scheme === 'https' ? 443 : 80)) : Number(asked),
    path: `/${escaped(rest)}${text === '' ? '' : `?${text}`}`,
    // The path was matched with these two schemes only.
    podScheme: scheme as 'http' | 'https',
  };
}

function firstPortOf(pod: ApiObject): number | undefined {
  // The shape of stored pods has been checked.
  const { containers = [] } = membersOf(pod, 'spec') as {
    readonly containers?: readonly { readonly ports?: readonly { readonly containerPort: number }[] }[];
  };
  return containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
}

function podPath(pod: ApiObject, { namespace = '', name = '', subresource, query }: ResourcePath): string {
  const place = `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  switch (subresource) {
    case 'log': {
      const kept = new URLSearchParams(query);
      kept.delete('container');
      kept.delete('insecureSkipTLSVerifyBackend');
      return `/containerLogs/${place}/${encodeURIComponent(containerOf(pod, query))}?${kept.toString()}`;
    }
    case 'exec':
    case 'attach':
      return `/${subresource}/${place}/${encodeURIComponent(containerOf(pod, query))}?${streamQuery(query).toString()}`;
    case 'portforward': {
      const ports = query.getAll('ports').map((port) => ['port', port]);
      return `/portForward/${place}?${new URLSearchParams(ports).toString()}`;
    }
    default:
      throw notImplemented(`pods/${subresource} is not passed on by this API server`);
  }
}

/** Throws a `Refusal` for invalid log options. */
function refuseLogOptions(name: string, query: URLSearchParams): void {
  const causes = (['tailLines', 'sinceSeconds', 'limitBytes'] as const).flatMap((option) => {
    const asked = query.get(option);
    const least = option === 'tailLines' ? 0 : 1;
    if (asked === null || Number(asked) >= least) return [];
    return [invalidValue(option, Number(asked), `must be greater than ${least === 0 ? 'or equal to 0' : '0'}`)];
  });
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    causes.push(forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  }
  if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions', name }, causes);
}

const streamNames = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

/** The node's server uses other names for the same parameters. */
function streamQuery(query: URLSearchParams): URLSearchParams {
  const passed = new URLSearchParams();
  for (const [asked, name] of Object.entries(streamNames)) {
    if (['1', 'true'].includes(query.get(asked) ?? '')) passed.set(name, '1');
  }
  for (const word of query.getAll('command')) passed.append('command', word);
  return passed;
}

const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Returns the requested container, or the only one. */
function containerOf(pod: ApiObject, query: URLSearchParams): string {
  const spec = membersOf(pod, 'spec');
  const names = (list: string): readonly string[] =>
    // The shape of stored pods has been checked.
    ((own(spec, list) ?? []) as readonly { readonly name: string }[]).map((each) => each.name);
  const asked = query.get('container') ?? '';
  const podName = pod.metadata.name;
  if (asked !== '') {
    if (containerLists.some((list) => names(list).includes(asked))) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, ...others] = names('containers');
  if (only !== undefined && others.length === 0) return only;
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: [${names('containers').join(' ')}]`,
  );
}

/** In the order of an API server's preference. */
const addressTypes = ['InternalIP', 'ExternalIP', 'Hostname'] as const;

/** Returns the address of a node's server. Throws a `Refusal` when the node has not reported it. */
export function nodeAddress(core: ApiCore, nodeName: string): Pick<NodeRequest, 'host' | 'port'> {
  const status = membersOf(core.stored(nodeKind, undefined, nodeName), 'status');
  // The shape of stored nodes has been checked.
  const addresses = (status['addresses'] ?? []) as readonly { readonly type: string; readonly address: string }[];
  const endpoints = status['daemonEndpoints'] as { kubeletEndpoint?: { Port?: number } } | undefined;
  const port = endpoints?.kubeletEndpoint?.Port ?? 0;
  for (const type of addressTypes) {
    const found = addresses.find((each) => each.type === type);
    if (found !== undefined && port > 0) return { host: found.address, port };
  }
  throw new Refusal({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `node ${nodeName} has not reported the address of its server`,
  });
}
