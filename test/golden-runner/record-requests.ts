import { writeFileSync } from 'node:fs';
import type { CriOutcome } from '../../src/cri/fault.ts';
import * as Cri from '../../src/cri/gen/api.ts';
import type { RuntimeCore } from '../../src/embedded/runtime/runtime-core.ts';
import { goldenForm, type Json } from '../pod/cri-config/golden-form.ts';
import type { CallSeen, CallWatcher } from '../simulation/node/simulated-runtime.ts';

/** A CRI call in the form of the recordings. */
export interface SeenRequest {
  readonly method: string;
  readonly container: string | undefined;
  readonly attempt: number;
  /** The text after the method and the container: an image, a command, a timeout. */
  readonly more: string;
  readonly podUid: string;
  readonly form: { readonly [member: string]: Json };
  error: string | undefined;
}

const CODES: Readonly<Record<string, string>> = { NOT_FOUND: 'NotFound', UNKNOWN: 'Unknown' };

/** Records every request that is compared with the recordings. */
export class RequestRecorder implements CallWatcher {
  readonly requests: SeenRequest[] = [];
  readonly #open = new Map<CallSeen, SeenRequest>();
  readonly #core: () => RuntimeCore;
  readonly #changed: () => void;

  constructor(options: { readonly core: () => RuntimeCore; readonly changed: () => void }) {
    this.#core = options.core;
    this.#changed = options.changed;
  }

  /** Objects that the runtime holds now. */
  ids(): readonly (readonly [string, string])[] {
    const filter = { id: '', podSandboxId: '', state: undefined, labelSelector: {} };
    const { containers } = this.#core().listContainers({ filter });
    const sandboxes = this.#core().listPodSandbox({ filter: { id: '', state: undefined, labelSelector: {} } }).items;
    return [
      ...containers.map(({ id, metadata }) => [id, `{{CID:${metadata?.name ?? ''}}}`] as const),
      ...sandboxes.map(({ id }) => [id, '{{SANDBOX}}'] as const),
    ];
  }

  began(call: CallSeen): void {
    const seen = this.#seen(call);
    if (seen === undefined) return;
    const request: SeenRequest = {
      container: undefined,
      attempt: 0,
      more: '',
      podUid: '',
      form: {},
      ...seen,
      error: undefined,
    };
    this.requests.push(request);
    this.#open.set(call, request);
    this.#changed();
  }

  ended(call: CallSeen, outcome: CriOutcome<Uint8Array>): void {
    const request = this.#open.get(call);
    if (request === undefined) return;
    this.#open.delete(call);
    if (!outcome.ok) {
      const { code, detail } = outcome.fault;
      request.error = `rpc error: code = ${CODES[code] ?? code} desc = ${detail}`;
    }
    this.#changed();
  }

  cut(call: CallSeen): void {
    this.#open.delete(call);
  }

  #seen({ method, request }: CallSeen): (Partial<SeenRequest> & { readonly method: string }) | undefined {
    switch (method) {
      case 'RunPodSandbox': {
        const { config, runtimeHandler } = Cri.RunPodSandboxRequest.decode(request);
        const handler = runtimeHandler === '' ? {} : { runtime_handler: runtimeHandler };
        const { attempt = 0, uid = '' } = config?.metadata ?? {};
        return { method, attempt, podUid: uid, form: { config: goldenForm(config), ...handler } };
      }
      case 'CreateContainer': {
        const { config, sandboxConfig } = Cri.CreateContainerRequest.decode(request);
        if (config !== undefined) writeForContainer(config);
        const { name = '', attempt = 0 } = config?.metadata ?? {};
        const form = { config: goldenForm(config), sandbox_config: goldenForm(sandboxConfig) };
        return { method, container: name, attempt, podUid: sandboxConfig?.metadata?.uid ?? '', form };
      }
      case 'ImageStatus': {
        const { image } = Cri.ImageStatusRequest.decode(request);
        return { method, more: ` ${image?.image ?? ''}`, form: { image: goldenForm(image) } };
      }
      case 'PullImage': {
        const { image, auth } = Cri.PullImageRequest.decode(request);
        const form = { image: goldenForm(image), ...(auth !== undefined && { auth: goldenForm(auth) }) };
        return { method, more: ` ${image?.image ?? ''}`, form };
      }
      case 'StartContainer':
        return this.#ofContainer(method, Cri.StartContainerRequest.decode(request).containerId, '');
      case 'StopContainer': {
        const { containerId, timeout } = Cri.StopContainerRequest.decode(request);
        return this.#ofContainer(method, containerId, ` timeout ${timeout}`);
      }
      case 'ExecSync': {
        const { containerId, cmd, timeout } = Cri.ExecSyncRequest.decode(request);
        return this.#ofContainer(method, containerId, ` ${commandText(cmd)} timeout ${timeout}`);
      }
      case 'StopPodSandbox': {
        const id = Cri.StopPodSandboxRequest.decode(request).podSandboxId;
        const [found] = this.#core().listPodSandbox({ filter: { id, state: undefined, labelSelector: {} } }).items;
        return { method, attempt: found?.metadata?.attempt ?? 0, podUid: found?.metadata?.uid ?? '' };
      }
      default:
        return undefined;
    }
  }

  #ofContainer(
    method: string,
    id: string,
    more: string,
  ): (Partial<SeenRequest> & { readonly method: string }) | undefined {
    const filter = { id, podSandboxId: '', state: undefined, labelSelector: {} };
    const [found] = this.#core().listContainers({ filter }).containers;
    if (found === undefined) return undefined;
    const { name = '', attempt = 0 } = found.metadata ?? {};
    return { method, container: name, attempt, more, podUid: found.labels['io.kubernetes.pod.uid'] ?? '' };
  }
}

const commandText = (command: readonly string[]): string =>
  `[${command.map((word) => JSON.stringify(word)).join(', ')}]`;

/** A container of such an image writes the values of its `FILE_…` variables into `/box`. */
function writeForContainer({ image, envs, mounts }: Cri.ContainerConfig): void {
  const box = mounts.find(({ containerPath }) => containerPath === '/box')?.hostPath;
  if (box === undefined || !(image?.userSpecifiedImage ?? '').includes('-writer')) return;
  for (const { key, value } of envs) {
    if (key.startsWith('FILE_')) writeFileSync(`${box}/${key.slice('FILE_'.length)}.env`, value);
  }
}
