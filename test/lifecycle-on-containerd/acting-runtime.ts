import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { systemClock } from '../../src/actor/clock.ts';
import * as Cri from '../../src/cri/gen/api.ts';
import type { ExecResult, Outcome, Run, TermReaction } from '../../src/embedded/runtime/script/outcome.ts';
import { nthOutcome, OutcomeCounters, outcomeAtAge } from '../../src/embedded/runtime/script/outcomes.ts';
import { RuntimeCore } from '../../src/embedded/runtime/runtime-core.ts';
import { RuntimeError } from '../../src/embedded/runtime/runtime-error.ts';
import { noFiles } from '../../src/embedded/runtime/inventory/runtime-files.ts';
import type { Script, ScriptedContainer } from '../../src/embedded/runtime/script/script.ts';
import type { CallRecorder, Owners } from '../lifecycle/record-calls.ts';
import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';
import { type PassOn, type ProxiedCall, recorded, RefusedCall } from '../lifecycle/live/proxy-calls.ts';
import { endsForMemory, OOM_LIMIT_BYTES, shellFor, shellForExec } from './shell-behaviour.ts';

const MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
const RUN_ON: Run = { action: 'run', delayMs: 0, text: '' };
const END_ON_TERM: TermReaction = { action: 143, delayMs: 20, text: '' };
const SUCCEED: ExecResult = { action: 0, delayMs: 0, text: '' };

interface Sandbox {
  readonly pod: string;
  readonly uid: string;
  readonly attempt: number;
}

interface Container extends Sandbox {
  readonly id: string;
  readonly name: string;
  readonly sandbox: string;
  readonly isAskedToStop: { value: boolean };
  startedAt: number | undefined;
}

/** Operations on real containers beside the agent's calls. */
export interface Deeds {
  readonly killSandbox: (id: string) => Promise<void>;
  /** Resolves when the container's process handles TERM, or is gone. */
  readonly untilItMindsTerm: (containerId: string) => Promise<void>;
}

/**
 * Real containers that follow a script. Containers and sandboxes are the runtime's own. Behaviour that a real runtime
 * cannot produce on demand (a rejected call, a missing image) is simulated here.
 */
export class ActingRuntime implements Owners {
  readonly #script: Script;
  readonly #counters = new OutcomeCounters();
  readonly #starts = new Map<string, number>();
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #containers = new Map<string, Container>();
  /** By container and command, the scripted results of commands that timed out. */
  readonly #undone = new Map<string, ExecResult>();
  /** The simulated images. */
  readonly #images: RuntimeCore;
  readonly #killSandbox: (id: string) => Promise<void>;
  readonly #minds: (containerId: string) => Promise<void>;
  /** Operations under way in the runtime that the agent cannot see. */
  #unseen: Promise<unknown> = Promise.resolve();

  constructor(script: Script, does: Deeds) {
    this.#script = script;
    this.#killSandbox = does.killSandbox;
    this.#minds = does.untilItMindsTerm;
    let ids = 0;
    this.#images = new RuntimeCore(
      { clock: systemClock, nextId: () => String(++ids), files: noFiles },
      { script, events: 'off' },
    );
  }

  sandbox(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): Container | undefined {
    return this.#containers.get(id);
  }

  /** The newest container of that name that has been started; its sandbox is the newest of the pod, too. */
  newest(pod: string, name?: string): Container | undefined {
    return [...this.#containers.values()].findLast(
      (each) => each.pod === pod && (name === undefined || each.name === name) && each.startedAt !== undefined,
    );
  }

  newestSandbox(pod: string): string | undefined {
    return [...this.#sandboxes].findLast(([, each]) => each.pod === pod)?.[0];
  }

  /** Runs an operation that appears atomic to the agent: the agent's calls wait. */
  async unseen(act: () => Promise<void>): Promise<void> {
    const acting = act();
    this.#unseen = acting.catch(() => {});
    await acting;
  }

  /** Answers a call of the agent, with the runtime's help, and records the call. */
  async answer(call: ProxiedCall, passOn: PassOn, recorder: CallRecorder<ProxiedCall>): Promise<Uint8Array> {
    try {
      return await recorded(call, recorder, {
        answer: async () => {
          await this.#unseen;
          return this.#answer(call, passOn);
        },
        countsAsMade: (error) => isUnknownResize(call, error),
      });
    } catch (error) {
      throw error instanceof RuntimeError ? new RefusedCall(error.message) : error;
    }
  }

  async #answer({ method, request }: ProxiedCall, passOn: PassOn): Promise<Uint8Array> {
    switch (method) {
      case 'RunPodSandbox':
        return this.#runSandbox(request, passOn);
      case 'CreateContainer':
        return this.#create(request, passOn);
      case 'StartContainer':
        return this.#start(request, passOn);
      case 'StopContainer':
        return this.#stop(request, passOn);
      case 'UpdateContainerResources': {
        const { containerId } = Cri.UpdateContainerResourcesRequest.decode(request);
        await this.#refusalOf(this.#containers.get(containerId), 'update');
        return passOn(request);
      }
      case 'ExecSync':
        return this.#exec(request, passOn);
      case 'ImageStatus':
        return Cri.ImageStatusResponse.encode(
          this.#images.images.imageStatus(Cri.ImageStatusRequest.decode(request)),
        ).finish();
      case 'PullImage':
        return Cri.PullImageResponse.encode(
          await this.#images.images.pullImage(Cri.PullImageRequest.decode(request)),
        ).finish();
      default:
        return passOn(request);
    }
  }

  async #runSandbox(request: Uint8Array, passOn: PassOn): Promise<Uint8Array> {
    const { metadata } = Cri.RunPodSandboxRequest.decode(request).config ?? {};
    const { name: pod = '', uid = '', attempt = 0 } = metadata ?? {};
    const outcomes = this.#script.pods[pod]?.sandbox;
    const outcome = outcomes && this.#counters.take(`sandbox/${uid}`, outcomes);
    if (outcome?.action === 'err') await refuse(outcome);
    const response = await passOn(request);
    const { podSandboxId } = Cri.RunPodSandboxResponse.decode(response);
    this.#sandboxes.set(podSandboxId, { pod, uid, attempt });
    if (outcome?.dieMs !== undefined) void delay(outcome.dieMs).then(() => this.#killSandbox(podSandboxId));
    return response;
  }

  async #create(request: Uint8Array, passOn: PassOn): Promise<Uint8Array> {
    const message = Cri.CreateContainerRequest.decode(request);
    const { config, podSandboxId } = message;
    const sandbox = this.#sandboxes.get(podSandboxId);
    if (config === undefined || sandbox === undefined) return passOn(request);
    const { name = '', attempt = 0 } = config.metadata ?? {};
    const key = `${sandbox.uid}/${name}`;
    const scripted = this.#script.pods[sandbox.pod]?.containers[name];
    await this.#refusalOf({ ...sandbox, name }, 'create');
    const behaviour = {
      run: scripted?.run ? nthOutcome(scripted.run, this.#starts.get(key) ?? 0) : RUN_ON,
      stop: scripted?.stop?.find(({ action }) => action !== 'err') ?? END_ON_TERM,
      terminationMessagePath: config.annotations[MESSAGE_PATH],
    };
    config.image = Cri.ImageSpec.create({ image: BUSYBOX_IMAGE });
    config.command = ['sh', '-c', shellFor(behaviour)];
    config.args = [];
    if (endsForMemory(behaviour) && config.linux?.resources) {
      config.linux.resources.memoryLimitInBytes = OOM_LIMIT_BYTES;
    }
    const response = await passOn(Cri.CreateContainerRequest.encode(message).finish());
    const { containerId: id } = Cri.CreateContainerResponse.decode(response);
    const isAskedToStop = { value: false };
    this.#containers.set(id, {
      ...sandbox,
      id,
      name,
      attempt,
      sandbox: podSandboxId,
      isAskedToStop,
      startedAt: undefined,
    });
    return response;
  }

  async #start(request: Uint8Array, passOn: PassOn): Promise<Uint8Array> {
    const container = this.#containers.get(Cri.StartContainerRequest.decode(request).containerId);
    await this.#refusalOf(container, 'start');
    const response = await passOn(request);
    if (container !== undefined) {
      const key = `${container.uid}/${container.name}`;
      this.#starts.set(key, (this.#starts.get(key) ?? 0) + 1);
      container.startedAt = performance.now();
      await this.#minds(container.id);
    }
    return response;
  }

  async #stop(request: Uint8Array, passOn: PassOn): Promise<Uint8Array> {
    const { containerId, timeout } = Cri.StopContainerRequest.decode(request);
    const container = this.#containers.get(containerId);
    const stops = container && this.#scriptOf(container)?.stop;
    if (container && stops && timeout > 0n && !container.isAskedToStop.value) {
      const reaction = this.#counters.take(`stop/${containerId}`, stops);
      if (reaction.action === 'err') await refuse(reaction);
      container.isAskedToStop.value = true;
    }
    return passOn(request);
  }

  async #exec(request: Uint8Array, passOn: PassOn): Promise<Uint8Array> {
    const message = Cri.ExecSyncRequest.decode(request);
    const container = this.#containers.get(message.containerId);
    const result = container ? this.#execResult(container, message.cmd.join(' ')) : SUCCEED;
    if (result.action === 'err') await refuse(result);
    const key = `${message.containerId}/${message.cmd.join(' ')}`;
    message.cmd = ['sh', '-c', shellForExec(result)];
    try {
      return await passOn(Cri.ExecSyncRequest.encode(message).finish());
    } catch (error) {
      // A command without a scripted duration did not fail: the machine was too busy. The next run gets this result.
      if (result.delayMs === 0) this.#undone.set(key, result);
      throw error;
    }
  }

  #execResult(container: Container, command: string): ExecResult {
    const rule = this.#scriptOf(container)?.exec[command];
    if (rule === undefined) return SUCCEED;
    const undone = this.#undone.get(`${container.id}/${command}`);
    this.#undone.delete(`${container.id}/${command}`);
    if (undone !== undefined && rule.by !== 'age') return undone;
    if (rule.by === 'age') return outcomeAtAge(rule, performance.now() - (container.startedAt ?? performance.now()));
    const whose = rule.by === 'name' ? `${container.uid}/${container.name}` : container.id;
    return this.#counters.take(`exec/${whose}/${command}`, rule.results);
  }

  #scriptOf({ pod, name }: Pick<Container, 'pod' | 'name'>): ScriptedContainer | undefined {
    return this.#script.pods[pod]?.containers[name];
  }

  async #refusalOf(
    container: Pick<Container, 'pod' | 'uid' | 'name'> | undefined,
    call: 'create' | 'start' | 'update',
  ): Promise<void> {
    const outcomes = container && this.#scriptOf(container)?.[call];
    if (outcomes === undefined) return;
    const outcome = this.#counters.take(`${call}/${container?.uid}/${container?.name}`, outcomes);
    if (outcome.action === 'err') await refuse(outcome);
  }
}

/**
 * A runtime older than the method rejects the call, and the agent must work without it. The recorded runtime accepted the
 * call, so it is recorded as made.
 */
export const isUnknownResize = ({ method }: Pick<ProxiedCall, 'method'>, error: unknown): boolean =>
  method === 'UpdatePodSandboxResources' &&
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === status.UNIMPLEMENTED;

async function refuse({ delayMs, text }: Outcome): Promise<never> {
  await delay(delayMs);
  throw new RefusedCall(text);
}
