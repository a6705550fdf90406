import type { Container, ContainerPort, LifecycleHandler, Pod } from '../../kube/pod.ts';
import { containerHash } from './container-hash.ts';
import {
  CONTAINER_HASH_ANNOTATION,
  DELETION_GRACE_ANNOTATION,
  PORTS_ANNOTATION,
  PRE_STOP_ANNOTATION,
  RESTART_COUNT_ANNOTATION,
  TERMINATION_GRACE_ANNOTATION,
  TERMINATION_MESSAGE_PATH_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from './pod-labels.ts';

/**
 * Annotations for containers whose pod is unknown: after a restart, or when the pod is gone from the API. They are then
 * the only source for how to stop the container and where its termination message is.
 */
export function containerAnnotations(pod: Pod, container: Container, restartCount: number): Record<string, string> {
  const annotations: Record<string, string> = {
    [CONTAINER_HASH_ANNOTATION]: containerHash(container),
    [RESTART_COUNT_ANNOTATION]: String(restartCount),
    [TERMINATION_MESSAGE_PATH_ANNOTATION]: container.terminationMessagePath ?? '',
    [TERMINATION_MESSAGE_POLICY_ANNOTATION]: container.terminationMessagePolicy ?? '',
  };
  const { deletionGracePeriodSeconds } = pod.metadata;
  const { terminationGracePeriodSeconds } = pod.spec;
  if (deletionGracePeriodSeconds !== undefined) {
    annotations[DELETION_GRACE_ANNOTATION] = String(deletionGracePeriodSeconds);
  }
  if (terminationGracePeriodSeconds !== undefined) {
    annotations[TERMINATION_GRACE_ANNOTATION] = String(terminationGracePeriodSeconds);
  }
  const preStop = container.lifecycle?.preStop;
  if (preStop !== undefined) annotations[PRE_STOP_ANNOTATION] = apiJson(handlerInOrder(preStop));
  if (container.ports !== undefined && container.ports.length > 0) {
    annotations[PORTS_ANNOTATION] = apiJson(container.ports.map(portInOrder));
  }
  return annotations;
}

// Members follow the order of the API's types and empty ones are left out, so that the text equals the Go kubelet's.

const handlerInOrder = ({ exec, httpGet, tcpSocket, sleep }: LifecycleHandler): unknown => ({
  exec: exec && { command: filled(exec.command) },
  httpGet: httpGet && {
    path: filled(httpGet.path),
    port: httpGet.port,
    host: filled(httpGet.host),
    scheme: filled(httpGet.scheme),
    httpHeaders: filled(httpGet.httpHeaders)?.map(({ name, value }) => ({ name, value })),
  },
  tcpSocket: tcpSocket && { port: tcpSocket.port, host: filled(tcpSocket.host) },
  sleep: sleep && { seconds: sleep.seconds },
});

const portInOrder = ({ name, hostPort, containerPort, protocol, hostIP }: ContainerPort): unknown => ({
  name: filled(name),
  hostPort: hostPort || undefined,
  containerPort,
  protocol: filled(protocol),
  hostIP: filled(hostIP),
});

const filled = <Value extends { readonly length: number }>(value: Value | undefined): Value | undefined =>
  value === undefined || value.length === 0 ? undefined : value;

/** Go's encoder escapes what could be markup. */
const apiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
