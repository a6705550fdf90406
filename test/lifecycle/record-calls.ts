import * as Cri from '../../src/cri/gen/api.ts';
import type { RuntimeCore } from '../../src/embedded/runtime/runtime-core.ts';
import type { CallSeen } from '../simulation/node/simulated-runtime.ts';

/** A call that changes the runtime's state. Instants are virtual milliseconds. */
export interface RecordedCall {
  readonly pod: string;
  readonly method: string;
  readonly container: string | undefined;
  text: string;
  readonly began: number;
  ended: number | undefined;
}

/** The owner of a container or sandbox; `undefined` when the ID is unknown. */
export interface Owners {
  container(id: string): { readonly pod: string; readonly name: string; readonly attempt: number } | undefined;
  sandbox(id: string): { readonly pod: string; readonly attempt: number } | undefined;
}

/** The objects of an embedded runtime at the moment of the call. */
export const ownersIn = (core: () => RuntimeCore): Owners => ({
  container(id) {
    const filter = { id, podSandboxId: '', state: undefined, labelSelector: {} };
    const [found] = core().listContainers({ filter }).containers;
    if (found === undefined) return undefined;
    const { name = '', attempt = 0 } = found.metadata ?? {};
    return { pod: found.labels['io.kubernetes.pod.name'] ?? '', name, attempt };
  },
  sandbox(id) {
    const [found] = core().listPodSandbox({ filter: { id, state: undefined, labelSelector: {} } }).items;
    return found && { pod: found.metadata?.name ?? '', attempt: found.metadata?.attempt ?? 0 };
  },
});

interface Subject {
  readonly pod: string;
  readonly container?: string;
  readonly text: string;
  readonly isProbe?: true;
}

/** A request of a method, as it is on the wire. */
export type CallBytes = Pick<CallSeen, 'method' | 'request'>;

/** Records every call that changes the runtime's state, in the form of the recordings. */
export class CallRecorder<Call extends CallBytes = CallSeen> {
  readonly calls: RecordedCall[] = [];
  /** The commands of probes: `<container>#<attempt> <command>`. */
  readonly probes: RecordedCall[] = [];
  readonly #open = new Map<Call, RecordedCall>();
  readonly #owners: Owners;
  readonly #now: () => number;
  readonly #changed: () => void;

  constructor(options: { readonly owners: Owners; readonly now: () => number; readonly changed: () => void }) {
    this.#owners = options.owners;
    this.#now = options.now;
    this.#changed = options.changed;
  }

  began(call: Call): void {
    const subject = this.#subject(call);
    if (subject === undefined) return;
    const { pod, container, text } = subject;
    const recorded: RecordedCall = { pod, method: call.method, container, text, began: this.#now(), ended: undefined };
    (subject.isProbe === true ? this.probes : this.calls).push(recorded);
    this.#open.set(call, recorded);
    this.#changed();
  }

  ended(call: Call, outcome: { readonly ok: boolean }): void {
    this.#close(call, outcome.ok ? '' : ' !error');
  }

  cut(call: Call): void {
    this.#close(call, ' !cancelled');
  }

  #close(call: Call, mark: string): void {
    const recorded = this.#open.get(call);
    if (recorded === undefined) return;
    this.#open.delete(call);
    recorded.text += mark;
    recorded.ended = this.#now();
    this.#changed();
  }

  #subject({ method, request }: CallBytes): Subject | undefined {
    switch (method) {
      case 'RunPodSandbox': {
        const { config } = Cri.RunPodSandboxRequest.decode(request);
        return { pod: config?.metadata?.name ?? '', text: `${method} #${config?.metadata?.attempt ?? 0}` };
      }
      case 'CreateContainer': {
        const { config, sandboxConfig } = Cri.CreateContainerRequest.decode(request);
        const { name = '', attempt = 0 } = config?.metadata ?? {};
        return { pod: sandboxConfig?.metadata?.name ?? '', container: name, text: `${method} ${name}#${attempt}` };
      }
      case 'PullImage': {
        const { image, auth, sandboxConfig } = Cri.PullImageRequest.decode(request);
        const who = auth?.username ? ` auth=${auth.username}` : '';
        return { pod: sandboxConfig?.metadata?.name ?? '', text: `${method} ${image?.image ?? ''}${who}` };
      }
      case 'StartContainer':
        return this.#ofContainer(method, Cri.StartContainerRequest.decode(request).containerId);
      case 'RemoveContainer':
        return this.#ofContainer(method, Cri.RemoveContainerRequest.decode(request).containerId);
      case 'StopContainer': {
        const { containerId, timeout } = Cri.StopContainerRequest.decode(request);
        return this.#ofContainer(method, containerId, ` grace=${timeout}`);
      }
      case 'UpdatePodSandboxResources':
        return this.#ofSandbox(method, Cri.UpdatePodSandboxResourcesRequest.decode(request).podSandboxId);
      case 'UpdateContainerResources': {
        const { containerId, linux } = Cri.UpdateContainerResourcesRequest.decode(request);
        const { cpuQuota, cpuShares, memoryLimitInBytes } = linux ?? {};
        const values = ` cpuQuota=${cpuQuota} cpuShares=${cpuShares} memoryLimit=${memoryLimitInBytes}`;
        return this.#ofContainer(method, containerId, values);
      }
      case 'ExecSync': {
        const { containerId, cmd } = Cri.ExecSyncRequest.decode(request);
        const command = cmd.join(' ');
        if (command.startsWith('hook-')) return this.#ofContainer(method, containerId, ` "${command}"`);
        const found = this.#owners.container(containerId);
        return (
          found && {
            pod: found.pod,
            container: found.name,
            text: `${found.name}#${found.attempt} ${command}`,
            isProbe: true,
          }
        );
      }
      case 'StopPodSandbox':
        return this.#ofSandbox(method, Cri.StopPodSandboxRequest.decode(request).podSandboxId);
      case 'RemovePodSandbox':
        return this.#ofSandbox(method, Cri.RemovePodSandboxRequest.decode(request).podSandboxId);
      default:
        return undefined;
    }
  }

  #ofContainer(method: string, id: string, more = ''): Subject | undefined {
    const found = this.#owners.container(id);
    return found && { pod: found.pod, container: found.name, text: `${method} ${found.name}#${found.attempt}${more}` };
  }

  #ofSandbox(method: string, id: string): Subject | undefined {
    const found = this.#owners.sandbox(id);
    return found && { pod: found.pod, text: `${method} #${found.attempt}` };
  }
}
