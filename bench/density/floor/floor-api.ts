import { readFile } from 'node:fs/promises';
// Whole: connections of the agent's own have no `request`, which this client uses.
import 'undici';
import { systemClock } from '../../../src/actor/clock.ts';
import { openConnections, type Connections } from '../../../src/api/transport/connections.ts';
import { runExecPlugin } from '../../../src/api/kubeconfig/exec-plugin.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { LineSplitter } from '../../../src/api/transport/json-lines.ts';
import { NODE_NAME } from '../node-setup.ts';

/** The part of a pod that a bare client keeps. */
export interface FloorApiPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

const MOST_LINE_BYTES = 1024 * 1024;
const SOURCE = { component: 'kubelet', host: NODE_NAME };

/**
 * The API calls that the agent makes for pods, with no logic behind them: one watch, and for each pod a status while it
 * is made ready, another one when it runs, and three events. Over the agent's kind of connections.
 */
export class FloorApi {
  readonly #connections: Connections;

  private constructor(connections: Connections) {
    this.#connections = connections;
  }

  static async open(kubeconfig: string): Promise<FloorApi> {
    const source = kubeconfigIdentity(kubeconfig, {
      readFile: (path) => readFile(path, 'utf8'),
      runPlugin: runExecPlugin,
      now: () => systemClock.now(),
    });
    return new FloorApi(openConnections(await source.read()));
  }

  /** Tells of each pod once, when it is first seen. Returns what ends the watch. */
  watchPods(added: (pod: FloorApiPod) => void, failed: (error: Error) => void): () => void {
    const ending = new AbortController();
    const path = `/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3D${NODE_NAME}&resourceVersion=0`;
    this.#readLines(path, { added, signal: ending.signal }).catch((error: unknown) => {
      if (!ending.signal.aborted) failed(error instanceof Error ? error : new Error(String(error)));
    });
    return () => ending.abort();
  }

  async #readLines(
    path: string,
    { added, signal }: { readonly added: (pod: FloorApiPod) => void; readonly signal: AbortSignal },
  ): Promise<void> {
    const { watches, origin } = this.#connections;
    const { body } = await watches.request({ origin, path, method: 'GET', signal, bodyTimeout: 0 });
    const lines = new LineSplitter(MOST_LINE_BYTES);
    for await (const chunk of body) {
      for (const line of lines.push(chunk as Buffer)) {
        if (typeof line !== 'string') throw new Error(`a line is longer than ${MOST_LINE_BYTES} bytes`);
        const { type, object } = JSON.parse(line) as {
          readonly type: string;
          readonly object: { metadata: FloorApiPod };
        };
        if (type === 'ADDED') added(object.metadata);
      }
    }
    throw new Error('the watch of the bare client has ended');
  }

  async tellPulled(pod: FloorApiPod): Promise<void> {
    await Promise.all([
      this.#patchStatus(pod, { phase: 'Pending', isReady: false }),
      this.#event(pod, 'Pulled', 'Container image "registry.example/shop/web:1.0" already present on machine'),
    ]);
  }

  async tellStarted(pod: FloorApiPod): Promise<void> {
    await Promise.all([
      this.#patchStatus(pod, { phase: 'Running', isReady: true }),
      this.#event(pod, 'Created', 'Container created'),
      this.#event(pod, 'Started', 'Container started'),
    ]);
  }

  #patchStatus(
    { namespace, name, uid }: FloorApiPod,
    { phase, isReady }: { readonly phase: string; readonly isReady: boolean },
  ): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    return this.#write('PATCH', path, { metadata: { uid }, status: statusOf(phase, isReady) });
  }

  #event(pod: FloorApiPod, reason: string, message: string): Promise<void> {
    const time = new Date(systemClock.now()).toISOString();
    return this.#write('POST', `/api/v1/namespaces/${pod.namespace}/events`, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${pod.name}.${reason.toLowerCase()}`, namespace: pod.namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', fieldPath: 'spec.containers{web}', ...pod },
      type: 'Normal',
      reason,
      message,
      source: SOURCE,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      reportingComponent: SOURCE.component,
      reportingInstance: SOURCE.host,
    });
  }

  async #write(method: 'PATCH' | 'POST', path: string, body: object): Promise<void> {
    const { calls, origin } = this.#connections;
    const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    const response = await calls.request({
      origin,
      path,
      method,
      headers: { accept: 'application/json', 'content-type': type, 'user-agent': 'bench' },
      body: JSON.stringify(body),
    });
    const answer = await response.body.text();
    if (response.statusCode > 299) throw new Error(`${method} ${path} was refused: ${answer}`);
    JSON.parse(answer);
  }
}

/** A status of the size that the agent writes for such a pod. */
function statusOf(phase: string, isReady: boolean): object {
  const time = new Date(systemClock.now()).toISOString();
  const since = { observedGeneration: 1, lastProbeTime: null, lastTransitionTime: time };
  const condition = (type: string, isTrue: boolean): object =>
    isTrue
      ? { type, status: 'True', ...since }
      : {
          type,
          status: 'False',
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [web]',
          ...since,
        };
  return {
    observedGeneration: 1,
    phase,
    hostIP: '192.0.2.10',
    hostIPs: [{ ip: '192.0.2.10' }],
    ...(isReady ? { podIP: '10.88.100.100', podIPs: [{ ip: '10.88.100.100' }] } : {}),
    startTime: time,
    qosClass: 'Burstable',
    conditions: [
      condition('PodReadyToStartContainers', isReady),
      condition('Initialized', true),
      condition('Ready', isReady),
      condition('ContainersReady', isReady),
      condition('PodScheduled', true),
    ],
    containerStatuses: [
      {
        name: 'web',
        state: isReady ? { running: { startedAt: time } } : { waiting: { reason: 'ContainerCreating' } },
        lastState: {},
        ready: isReady,
        restartCount: 0,
        image: 'registry.example/shop/web:1.0',
        imageID: isReady ? 'registry.example/shop/web@sha256:'.padEnd(97, '0') : '',
        started: isReady,
        ...(isReady
          ? {
              containerID: 'embedded://'.padEnd(75, '0'),
              allocatedResources: { memory: '1Mi' },
              resources: { requests: { memory: '1Mi' } },
              user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
            }
          : {}),
      },
    ],
  };
}
