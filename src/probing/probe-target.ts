import type { Container, LifecycleHandler, Probe } from '../kube/pod.ts';
import { expandVariables } from '../pod/cri-config/expand-variables.ts';

export interface ExecTarget {
  readonly type: 'exec';
  readonly command: readonly string[];
}

export interface HttpTarget {
  readonly type: 'http';
  readonly scheme: 'http' | 'https';
  /** Name or address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** With its query, if any. */
  readonly path: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export interface TcpTarget {
  readonly type: 'tcp';
  readonly host: string;
  readonly port: number;
}

export interface GrpcTarget {
  readonly type: 'grpc';
  readonly host: string;
  readonly port: number;
  readonly service: string;
}

/** The action of a probe or a hook, with nothing left to look up in the pod. */
export type HandlerTarget =
  | ExecTarget
  | HttpTarget
  | TcpTarget
  | GrpcTarget
  | { readonly type: 'sleep'; readonly seconds: number }
  /** The action is impossible. */
  | { readonly type: 'invalid'; readonly message: string };

/** Port names are the container's own. The default host is the pod's address. */
export function handlerTarget(
  container: Container,
  handler: LifecycleHandler & Pick<Probe, 'grpc'>,
  podIp: string,
): HandlerTarget {
  const target = resolved(container, handler, podIp);
  // An empty host would be this node itself.
  return 'host' in target && target.host === '' ? { type: 'invalid', message: 'the pod has no address' } : target;
}

function resolved(container: Container, handler: LifecycleHandler & Pick<Probe, 'grpc'>, podIp: string): HandlerTarget {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined)
    return { type: 'exec', command: (exec.command ?? []).map((part) => expanded(container, part)) };
  if (httpGet !== undefined) {
    const port = portOf(container, httpGet.port);
    if (typeof port === 'string') return { type: 'invalid', message: port };
    return {
      type: 'http',
      scheme: httpGet.scheme?.toLowerCase() === 'https' ? 'https' : 'http',
      host: nonEmpty(httpGet.host) ?? podIp,
      port,
      path: httpGet.path ?? '',
      headers: httpGet.httpHeaders ?? [],
    };
  }
  if (tcpSocket !== undefined) {
    const port = portOf(container, tcpSocket.port);
    if (typeof port === 'string') return { type: 'invalid', message: port };
    return { type: 'tcp', host: nonEmpty(tcpSocket.host) ?? podIp, port };
  }
  if (grpc !== undefined) return { type: 'grpc', host: podIp, port: grpc.port, service: grpc.service ?? '' };
  if (sleep !== undefined) return { type: 'sleep', seconds: sleep.seconds };
  return { type: 'invalid', message: `missing handler for ${container.name}` };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** Expands only variables with a literal value: values from elsewhere are not known when a probe runs. */
const expanded = ({ env = [] }: Container, text: string): string =>
  text.includes('$')
    ? expandVariables(text, (name) => env.findLast((each) => each.name === name && each.valueFrom === undefined)?.value)
    : text;

/** Returns the port number, or the reason why the port is unknown. */
function portOf({ ports = [] }: Container, port: number | string): number | string {
  const number =
    typeof port === 'number' ? port : (ports.find(({ name }) => name === port)?.containerPort ?? Number(port));
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  return typeof port === 'string' && !Number.isInteger(number)
    ? `couldn't find port: ${port}`
    : `invalid port number: ${number}`;
}
