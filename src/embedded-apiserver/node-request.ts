import { type ApiObject, membersOf } from './api-object.ts';
import type { ApiCore } from './api-core.ts';
import { nodeKind } from './kinds/node-kind.ts';
import { podKind } from './kinds/pod-kind.ts';
import { badRequest, notImplemented, Refusal } from './refusal.ts';
import type { ResourcePath } from './request-path.ts';

/** Where a node's server is asked, and for what. */
export interface NodeRequest {
  readonly host: string;
  readonly port: number;
  /** Path and query, as the node's server knows them. */
  readonly path: string;
}

/** What a call of a node's subresource is to the server of the node that it is about. Throws a `Refusal` if there is none. */
export function nodeRequest(core: ApiCore, named: ResourcePath): NodeRequest {
  const name = named.name ?? '';
  if (named.resource === 'nodes') {
    const query = named.query.toString();
    const [nodeName = ''] = name.split(':');
    return { ...nodeAddress(core, nodeName), path: `/${named.rest}${query === '' ? '' : `?${query}`}` };
  }
  const pod = core.stored(podKind, named.namespace, name);
  const nodeName = membersOf(pod, 'spec')['nodeName'];
  const path = podPath(pod, named);
  if (typeof nodeName !== 'string' || nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  return { ...nodeAddress(core, nodeName), path };
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

const streamNames = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

/** The node's server has names of its own for the same. */
function streamQuery(query: URLSearchParams): URLSearchParams {
  const passed = new URLSearchParams();
  for (const [asked, name] of Object.entries(streamNames)) {
    if (['1', 'true'].includes(query.get(asked) ?? '')) passed.set(name, '1');
  }
  for (const word of query.getAll('command')) passed.append('command', word);
  return passed;
}

const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** The container that is asked for, or the only one. */
function containerOf(pod: ApiObject, query: URLSearchParams): string {
  const spec = membersOf(pod, 'spec');
  const names = (list: string): readonly string[] =>
    ((spec[list] ?? []) as readonly { readonly name: string }[]).map((each) => each.name);
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

/** In the order in which an API server prefers them. */
const addressTypes = ['InternalIP', 'ExternalIP', 'Hostname'] as const;

/** Where a node's server listens. Throws a `Refusal` when it has not said so. */
export function nodeAddress(core: ApiCore, nodeName: string): Pick<NodeRequest, 'host' | 'port'> {
  const status = membersOf(core.stored(nodeKind, undefined, nodeName), 'status');
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
    message: `node ${nodeName} has not said where its server listens`,
  });
}
