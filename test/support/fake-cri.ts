import type { CriByteCall } from '../../src/cri/client.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import {
  Container,
  ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  ContainerStatus,
  ContainerStatusRequest,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandbox,
  PodSandboxState,
  PodSandboxStatus,
  PodSandboxStatusRequest,
  PodSandboxStatusResponse,
} from '../../src/cri/gen/api.ts';
import type { CriMethodName } from '../../src/cri/methods.ts';

const { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;

interface FakeSandbox {
  readonly pod: string;
  ready: boolean;
  /** `true` for an object without a kubelet's labels. */
  readonly foreign: boolean;
}
interface FakeContainer {
  readonly pod: string;
  readonly sandbox: string;
  state: ContainerState;
}

/** `Method`, or `Method id` for one thing alone. */
export type What = string;

/**
 * A runtime's state, and the calls that read it, answered as bytes. Any call can be made to hang, to fail, or to
 * return nonsense. The test creates and changes objects; calls do not.
 */
export class FakeCri {
  readonly sandboxes = new Map<string, FakeSandbox>();
  readonly containers = new Map<string, FakeContainer>();
  /** Log paths by container. Other containers have none. */
  readonly logPaths = new Map<string, string>();
  /** Every call so far. */
  readonly calls: What[] = [];
  readonly #faults = new Map<What, CriFault | Uint8Array>();
  readonly #hanging = new Map<What, (() => void)[]>();

  /** A pod in one sandbox, `<pod>-s`, with running containers. */
  run(pod: string, ...containers: string[]): void {
    this.sandboxes.set(`${pod}-s`, { pod, ready: true, foreign: false });
    for (const id of containers) this.create(pod, id, CONTAINER_RUNNING);
  }

  create(pod: string, id: string, state: ContainerState = CONTAINER_CREATED): void {
    this.containers.set(id, { pod, sandbox: `${pod}-s`, state });
  }

  start(id: string): void {
    this.#become(id, CONTAINER_RUNNING);
  }

  exit(id: string): void {
    this.#become(id, CONTAINER_EXITED);
  }

  #become(id: string, state: ContainerState): void {
    const container = this.containers.get(id);
    if (container !== undefined) container.state = state;
  }

  stopSandbox(pod: string): void {
    const sandbox = this.sandboxes.get(`${pod}-s`);
    if (sandbox !== undefined) sandbox.ready = false;
  }

  /** A sandbox goes with its containers. */
  remove(id: string): void {
    this.containers.delete(id);
    if (!this.sandboxes.delete(id)) return;
    for (const [each, { sandbox }] of this.containers) if (sandbox === id) this.containers.delete(each);
  }

  removePod(pod: string): void {
    this.remove(`${pod}-s`);
  }

  fail(what: What, fault: CriFault | Uint8Array = { code: 'UNKNOWN', detail: 'out of order' }): void {
    this.#faults.set(what, fault);
  }

  mend(what: What): void {
    this.#faults.delete(what);
  }

  hang(what: What): void {
    this.#hanging.set(what, []);
  }

  /** Hanging calls are answered with the present state. */
  release(what: What): void {
    const waiting = this.#hanging.get(what) ?? [];
    this.#hanging.delete(what);
    for (const goOn of waiting) goOn();
  }

  countOf(what: What): number {
    return this.calls.filter((call) => call === what || call.startsWith(`${what} `)).length;
  }

  readonly call: CriByteCall = async (method, request) => {
    const id = subjectOf(method, request);
    const what = id === '' ? method : `${method} ${id}`;
    this.calls.push(what);
    const hanging = this.#hanging.get(what) ?? this.#hanging.get(method);
    if (hanging !== undefined) await new Promise<void>((resolve) => hanging.push(resolve));
    const fault = this.#faults.get(what) ?? this.#faults.get(method);
    if (fault instanceof Uint8Array) return { ok: true, value: fault };
    if (fault !== undefined) return { ok: false, fault };
    return this.#answer(method, id);
  };

  /** An event about `id`, as the runtime would send it now. */
  event(id: string, type: 'started' | 'stopped' | 'deleted', createdAtMs: number): Uint8Array {
    const sandboxId = this.containers.get(id)?.sandbox ?? id;
    const inside = [...this.containers].filter(([, { sandbox }]) => sandbox === sandboxId);
    return ContainerEventResponse.encode(
      ContainerEventResponse.fromPartial({
        containerId: id,
        containerEventType: EVENT_TYPES[type],
        createdAt: BigInt(Math.round(createdAtMs * 1_000)) * 1_000n,
        podSandboxStatus: this.sandboxStatus(sandboxId),
        containersStatuses: inside.flatMap(([each]) => this.containerStatus(each) ?? []),
      }),
    ).finish();
  }

  listSandboxes(): Uint8Array {
    const items = [...this.sandboxes].map(([id, { pod, ready, foreign }]) =>
      PodSandbox.fromPartial({ id, state: sandboxState(ready), labels: foreign ? {} : labelsOf(pod) }),
    );
    return ListPodSandboxResponse.encode({ items }).finish();
  }

  listContainers(): Uint8Array {
    const containers = [...this.containers].map(([id, { pod, sandbox, state }]) =>
      Container.fromPartial({ id, podSandboxId: sandbox, state, labels: labelsOf(pod) }),
    );
    return ListContainersResponse.encode({ containers }).finish();
  }

  sandboxStatus(id: string): PodSandboxStatus | undefined {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return undefined;
    const { pod, ready, foreign } = sandbox;
    return PodSandboxStatus.fromPartial({
      id,
      metadata: { name: pod, namespace: 'default', uid: pod, attempt: 0 },
      state: sandboxState(ready),
      labels: foreign ? {} : labelsOf(pod),
      network: { ip: ready ? '10.0.0.1' : '', additionalIps: [] },
    });
  }

  containerStatus(id: string): ContainerStatus | undefined {
    const container = this.containers.get(id);
    if (container === undefined) return undefined;
    const { pod, state } = container;
    const logPath = this.logPaths.get(id) ?? '';
    const labels = labelsOf(pod);
    return ContainerStatus.fromPartial({ id, metadata: { name: id, attempt: 0 }, state, labels, logPath });
  }

  #answer(method: CriMethodName, id: string): CriOutcome<Uint8Array> {
    const found = (bytes: Uint8Array | undefined): CriOutcome<Uint8Array> =>
      bytes === undefined
        ? { ok: false, fault: { code: 'NOT_FOUND', detail: `no such thing: ${id}` } }
        : { ok: true, value: bytes };
    switch (method) {
      case 'ListPodSandbox':
        return found(this.listSandboxes());
      case 'ListContainers':
        return found(this.listContainers());
      case 'PodSandboxStatus': {
        const status = this.sandboxStatus(id);
        return found(
          status && PodSandboxStatusResponse.encode(PodSandboxStatusResponse.fromPartial({ status })).finish(),
        );
      }
      case 'ContainerStatus': {
        const status = this.containerStatus(id);
        return found(
          status && ContainerStatusResponse.encode(ContainerStatusResponse.fromPartial({ status })).finish(),
        );
      }
      default:
        throw new Error(`this fake does not do ${method}`);
    }
  }
}

const EVENT_TYPES = {
  started: ContainerEventType.CONTAINER_STARTED_EVENT,
  stopped: ContainerEventType.CONTAINER_STOPPED_EVENT,
  deleted: ContainerEventType.CONTAINER_DELETED_EVENT,
} as const;

const labelsOf = (pod: string) => ({
  'io.kubernetes.pod.uid': pod,
  'io.kubernetes.pod.name': pod,
  'io.kubernetes.pod.namespace': 'default',
});

const sandboxState = (ready: boolean): PodSandboxState =>
  ready ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;

function subjectOf(method: CriMethodName, request: Uint8Array): string {
  if (method === 'PodSandboxStatus') return PodSandboxStatusRequest.decode(request).podSandboxId;
  if (method === 'ContainerStatus') return ContainerStatusRequest.decode(request).containerId;
  return '';
}
