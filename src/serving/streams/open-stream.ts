import type { CriFault } from '../../cri/fault.ts';
import { assertNever } from '../../kube/text/assert-never.ts';
import type { Pod } from '../../kube/pod.ts';
import { runningContainerId } from '../logs/find-container-log.ts';
import type { AllowedRequest } from '../allowed-request.ts';
import type { StreamEndpoint } from '../endpoints.ts';
import type { NodeView } from '../node-view.ts';
import { readStreamOptions } from './stream-options.ts';
import { POD_UID_LABEL } from '../../pod/values/pod-labels.ts';

/** The runtime's address for a stream, or why there is none. */
export type OpenedStream =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly status: number; readonly problem: string };

const refuse = (status: number, problem: string): OpenedStream => ({ ok: false, status, problem });

const ofFault = ({ code, detail }: CriFault): OpenedStream => {
  if (code === 'NOT_FOUND') return refuse(404, detail);
  return refuse(code === 'RESOURCE_EXHAUSTED' || code === 'NOT_MADE' ? 429 : 500, detail);
};

/** An authorized request for a stream endpoint. */
export type StreamRequest = AllowedRequest & { readonly endpoint: StreamEndpoint };

/** Asks the runtime for a stream: a command, a container's own input and output, or a pod's ports. */
export async function openStream(request: StreamRequest, node: NodeView): Promise<OpenedStream> {
  const { endpoint, parameters, query } = request;
  const { namespace = '', pod: name = '', container = '', uid } = Object.fromEntries(parameters);
  const pod = await node.pod(namespace, name);
  if (pod === undefined || (uid !== undefined && uid !== pod.metadata.uid)) {
    return refuse(404, `pod "${name}" not found`);
  }
  switch (endpoint) {
    case 'port-forward':
      return openPorts(pod.metadata.uid, query, node);
    case 'exec':
    case 'attach':
      return openProcess({ endpoint, pod, container, query }, node);
    default:
      return assertNever(endpoint, 'stream endpoint');
  }
}

interface AskedProcess {
  readonly endpoint: 'exec' | 'attach';
  readonly pod: Pod;
  readonly container: string;
  readonly query: URLSearchParams;
}

async function openProcess({ endpoint, pod, container, query }: AskedProcess, node: NodeView): Promise<OpenedStream> {
  const streams = readStreamOptions(query);
  if (!streams.ok) return refuse(400, streams.problem);
  const containerId = runningContainerId(pod, container);
  if (containerId === undefined) return refuse(500, `container not found ("${container}")`);
  const { stdin, stdout, stderr, tty } = streams.options;
  if (endpoint === 'exec') {
    const cmd = query.getAll('command');
    const outcome = await node.cri.call('Exec', { containerId, cmd, tty, stdin, stdout, stderr });
    return outcome.ok ? { ok: true, url: outcome.value.url } : ofFault(outcome.fault);
  }
  const spec = [...pod.spec.containers, ...(pod.spec.initContainers ?? []), ...(pod.spec.ephemeralContainers ?? [])];
  // The terminal was chosen when the container was created.
  const hasTty = spec.find((each) => each.name === container)?.tty === true;
  const outcome = await node.cri.call('Attach', {
    containerId,
    stdin,
    stdout,
    stderr: stderr && !hasTty,
    tty: hasTty,
  });
  return outcome.ok ? { ok: true, url: outcome.value.url } : ofFault(outcome.fault);
}

async function openPorts(podUid: string, query: URLSearchParams, node: NodeView): Promise<OpenedStream> {
  const port = query
    .getAll('port')
    .flatMap((text) => text.split(','))
    .map(Number);
  if (port.some((each) => !Number.isInteger(each) || each < 1 || each > 65_535)) {
    return refuse(400, `${JSON.stringify(query.getAll('port').join(','))} is not a list of ports`);
  }
  const sandboxes = await node.cri.call('ListPodSandbox', {
    filter: { id: '', state: { state: READY }, labelSelector: { [POD_UID_LABEL]: podUid } },
  });
  if (!sandboxes.ok) return ofFault(sandboxes.fault);
  const newest = sandboxes.value.items.toSorted((one, other) => Number(other.createdAt - one.createdAt))[0];
  if (newest === undefined) return refuse(500, 'the pod has no running sandbox');
  const outcome = await node.cri.call('PortForward', { podSandboxId: newest.id, port });
  return outcome.ok ? { ok: true, url: outcome.value.url } : ofFault(outcome.fault);
}

/** `SANDBOX_READY` of the CRI. */
const READY = 0;
