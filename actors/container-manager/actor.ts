import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { Cgroups } from '../../src/cgroups/cgroups.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import { podCgroupFolders } from '../../src/node/resources/cgroup-path.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { ContainerManagerProtocol } from './protocol.ts';
import {
  begin,
  cgroupSet,
  decide,
  initialContainerManager,
  type ContainerManagerEffect,
  type ContainerManagerSettings,
  type Decision,
  type SetCgroup,
} from './state.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface ContainerManagerDeps {
  readonly cgroups: Cgroups;
  readonly settings: ContainerManagerSettings;
  /** Records events about this node. */
  readonly recordEvent: (event: Omit<EventToRecord, 'object'>) => void;
}

const ASK_WITHIN = { deadlineMs: 10_000 };

/** Limits all pods together to the node's allocatable resources, and keeps the CPU weights of the QoS classes. */
export class ContainerManager implements Actor<ContainerManagerProtocol> {
  readonly #context: ActorContext<ContainerManagerProtocol>;
  readonly #cgroups: Duty;
  readonly #deps: ContainerManagerDeps;
  #state = initialContainerManager();
  readonly #saidOf = new Set<SetCgroup>();

  constructor(context: ActorContext<ContainerManagerProtocol>, deps: ContainerManagerDeps) {
    this.#context = context;
    this.#cgroups = dutyOf(context, {
      work: 'set the cgroups of all pods and of system daemons',
      follows: 'limits of the node are not enforced',
      isLoggedByActor: true,
    });
    this.#deps = deps;
  }

  start(): void {
    // Without a cgroup tree of its own the agent has nothing to maintain.
    const { recordEvent, settings } = this.#deps;
    if (settings.node.managesCgroups !== true) return;
    for (const { whose, path } of settings.reserved ?? []) {
      const message = `Updated limits on ${whose.toLowerCase()} reserved cgroup ${path}`;
      recordEvent({ type: 'Normal', reason: 'NodeAllocatableEnforced', message });
    }
    this.#go(begin(this.#state, settings));
  }

  tell(command: ContainerManagerProtocol['command']): void {
    this.#go(decide(this.#state, command, this.#deps.settings));
  }

  ask(question: never): never {
    return assertNever(question, 'container manager question');
  }

  #go({ next, effects }: Decision): void {
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: ContainerManagerEffect): void {
    const { clock, self, log } = this.#context;
    const { cgroups } = this.#deps;
    switch (effect.type) {
      case 'set-cgroup': {
        const problem = cgroups.set(effect.path, effect.values);
        this.#report(effect.what, effect.path, problem);
        this.#state = cgroupSet(this.#state, effect.what, problem);
        return;
      }
      case 'remove-stray': {
        const problem = cgroups.removeEmpty(effect.path);
        if (problem !== undefined) log.debug({ cgroup: effect.path }, `the cgroup of no known pod stays: ${problem}`);
        return;
      }
      case 'wake':
        clock.after(effect.afterMs, () => self.tell({ type: effect.command }));
        return;
      case 'survey':
        return this.#context.supervise(this.#survey());
      default:
        return assertNever(effect, 'container manager effect');
    }
  }

  async #survey(): Promise<void> {
    const { cgroups, settings } = this.#deps;
    const found = podCgroupFolders(settings.node).flatMap((parent) =>
      cgroups
        .childrenOf(parent)
        .filter(isOfPod)
        .map((name) => `${parent}/${name}`),
    );
    const pods = await this.#context
      .ref(POD_MANAGER)
      .ask({ type: 'all-pods' }, ASK_WITHIN)
      .catch(() => undefined);
    this.#context.self.tell({ type: 'pods-surveyed', pods, cgroups: found });
  }

  /** Logs each refusal and each recovery once. */
  #report(what: SetCgroup, path: string, problem: string | undefined): void {
    const { log } = this.#context;
    const { recordEvent, settings } = this.#deps;
    if (problem !== undefined) this.#cgroups.failed(problem);
    else if (this.#saidOf.size === 0) this.#cgroups.worked();
    if (problem === undefined) {
      if (this.#saidOf.delete(what)) log.info({ cgroup: path }, 'the cgroup is set, after earlier refusals');
      if (what === 'all-pods' && settings.enforcesPods && this.#state.allocatable !== 'set') {
        recordEvent({
          type: 'Normal',
          reason: 'NodeAllocatableEnforced',
          message: 'Updated Node Allocatable limit across pods',
        });
      }
      return;
    }
    if (what === 'all-pods' && settings.enforcesPods) {
      const message = `Failed to update Node Allocatable Limits ["${path}"]: ${problem}`;
      recordEvent({ type: 'Warning', reason: 'FailedNodeAllocatableEnforcement', message });
    }
    if (this.#saidOf.has(what)) return;
    this.#saidOf.add(what);
    log.warn({ cgroup: path }, `the cgroup could not be set: ${problem}; retrying`);
  }
}

/** `true` for `pod<uid>`, or a slice whose last part is that. */
const isOfPod = (name: string): boolean => /^pod|-pod[^-]+\.slice$/.test(name);
