import type { StatusManagerProtocol } from '../../../actors/status-manager/protocol.ts';
import { isReady } from '../../../actors/status-manager/status-change.ts';
import type { LaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import type { SupervisorReport } from '../../../src/actor/supervision/child.ts';
import type { Batch } from '../../../src/actor/messages/link.ts';
import type { RestartRule } from '../../../src/actor/supervision/restart-budget.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import { isInDoubt, isNameReserved } from '../../../src/cri/fault.ts';
import { criMethods, type CriMethodName, type Lane } from '../../../src/cri/methods.ts';
import type { PodUid } from '../../../src/kube/ids.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { NAME_TAKEN } from '../node/switches.ts';
import type { CallSeen, CallWatcher } from '../node/simulated-runtime.ts';
import type { ThreadLife } from '../node/simulated-thread.ts';

export interface Violation {
  readonly seed: number;
  readonly step: number;
  readonly invariant: string;
  readonly detail: string;
}

export type Complain = (invariant: string, detail: string) => void;

const isTerminal = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Checks that reported statuses never go back. One history per pod UID, over all restarts of the agent. */
export class StatusChecker {
  readonly #complain: Complain;
  readonly #latest = new Map<string, PodStatus>();
  readonly #restarts = new Map<string, number>();
  readonly #terminal = new Map<string, string>();
  readonly #forgotten = new Set<string>();
  /** The last status version by pod. Overtaken statuses are dropped, as in the status manager. */
  readonly #versions = new Map<string, number>();
  /** Pods whose containers may be reported as failed: the runtime has rejected a call for them. */
  readonly #refused: ReadonlySet<string>;

  constructor(complain: Complain, refused: ReadonlySet<string>) {
    this.#complain = complain;
    this.#refused = refused;
  }

  /**
   * The runtime has lost a container of the pod without a notice. Only the agent knows the restart count then, and loses
   * it when it dies.
   */
  runtimeForgot(podUid: string): void {
    this.#forgotten.add(podUid);
  }

  /**
   * The agent died with all its state. The restart count of a container that the runtime does not hold now is lost:
   * the container was lost, or removed before its replacement.
   */
  agentEnded(isHeld: (podUid: string, container: string) => boolean): void {
    this.#latest.clear();
    this.#versions.clear();
    for (const key of this.#restarts.keys()) {
      const [podUid = '', container = ''] = key.split('/');
      if (!isHeld(podUid, container)) this.#restarts.delete(key);
    }
  }

  get latest(): ReadonlyMap<string, PodStatus> {
    return this.#latest;
  }

  told(command: StatusManagerProtocol['command']): void {
    if (command.type === 'forget-others') {
      for (const podUid of this.#latest.keys()) if (!command.kept.has(podUid as PodUid)) this.forget(podUid);
      return;
    }
    if (command.type === 'forget-pod') return this.forget(command.podUid);
    if (command.type !== 'pod-status-changed') return;
    const { podUid, status, pod, version } = command;
    if (version !== undefined) {
      if (version <= (this.#versions.get(podUid) ?? Number.NEGATIVE_INFINITY)) return;
      this.#versions.set(podUid, version);
    }
    this.#latest.set(podUid, status);
    const name = `${pod} (${podUid.slice(0, 8)})`;
    this.#terminalStays(name, podUid, status);
    for (const each of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      const key = `${podUid}/${each.name}`;
      const before = this.#restarts.get(key) ?? 0;
      if (each.restartCount < before && !this.#forgotten.has(podUid)) {
        this.#complain('restart-count-grows', `${name}: ${each.name} went from ${before} to ${each.restartCount}`);
      }
      this.#restarts.set(key, Math.max(before, each.restartCount));
      const why = each.state?.waiting?.reason ?? '';
      if (inventedFailures.has(why) && !this.#refused.has(podUid)) {
        this.#complain('failures-are-real', `${name}: ${each.name} shows ${why}, but the runtime refused nothing`);
      }
    }
  }

  /** Forgets a pod that is removed from the node: if it is wanted again, its history starts again. */
  forget(podUid: string): void {
    this.#latest.delete(podUid);
    this.#terminal.delete(podUid);
    this.#versions.delete(podUid);
    for (const key of this.#restarts.keys()) if (key.startsWith(`${podUid}/`)) this.#restarts.delete(key);
  }

  #terminalStays(name: string, podUid: string, status: PodStatus): void {
    const { phase } = status;
    const before = this.#terminal.get(podUid);
    if (before !== undefined && phase !== before) {
      this.#complain('terminal-phase-stays', `${name} went from ${before} to ${phase}`);
    }
    if (!isTerminal(phase)) return;
    this.#terminal.set(podUid, phase ?? '');
    if (isReady(status)) this.#complain('terminal-is-not-ready', `${name} is ${phase} and Ready`);
  }
}

const inventedFailures = new Set(['CreateContainerError', 'RunContainerError', 'StartError']);

/** Counts calls where they enter the runtime, and checks that each may enter now. */
export class CallChecker implements CallWatcher {
  readonly #complain: Complain;
  readonly #limits: LaneLimits;
  readonly #now: () => number;
  /** The calls under way in each lane, each with its start. */
  readonly #inLane = new WeakMap<ThreadLife, Map<Lane, Map<CallSeen, number>>>();
  readonly #ofPod = new Map<string, Set<CallSeen>>();
  /** The lane of calls that do not use the default lane of their method. */
  readonly #lanes = new WeakMap<Uint8Array, Lane>();
  readonly #meta = new WeakMap<
    Uint8Array,
    { readonly podUid: string; readonly caller: string; readonly incarnation: number }
  >();
  /** Pods with a rejected call, except rejections because the same call was under way. */
  readonly refused = new Set<string>();
  /** By pod, the number of begun calls that change the pod. */
  readonly changes = new Map<string, CriMethodName[]>();

  constructor(complain: Complain, limits: LaneLimits, now: () => number) {
    this.#complain = complain;
    this.#limits = limits;
    this.#now = now;
  }

  asked(call: {
    readonly request: Uint8Array;
    readonly podUid?: string;
    readonly incarnation: number;
    readonly caller?: string;
    readonly lane?: Lane;
  }): void {
    if (call.lane !== undefined) this.#lanes.set(call.request, call.lane);
    if (call.podUid === undefined) return;
    this.#meta.set(call.request, { podUid: call.podUid, incarnation: call.incarnation, caller: call.caller ?? '' });
  }

  began(call: CallSeen): void {
    this.#enter(call);
    const meta = this.#meta.get(call.request);
    const { effect } = criMethods[call.method];
    if (meta === undefined || effect === 'reads') return;
    // Probes continue through crashes, and change nothing.
    if (meta.caller === 'probe-manager') return;
    const changes = this.changes.get(meta.podUid);
    if (changes === undefined) this.changes.set(meta.podUid, [call.method]);
    else changes.push(call.method);
    const underWay = this.#ofPod.get(meta.podUid);
    if (effect === 'creates') this.#mustBeAlone(call, underWay);
    if (underWay === undefined) this.#ofPod.set(meta.podUid, new Set([call]));
    else underWay.add(call);
    call.life.whenOver.push(() => this.#ofPod.get(meta.podUid)?.delete(call));
  }

  ended(call: CallSeen): void {
    this.#inLane.get(call.life)?.get(this.#laneOf(call))?.delete(call);
    const meta = this.#meta.get(call.request);
    if (meta !== undefined) this.#ofPod.get(meta.podUid)?.delete(call);
  }

  cut(): void {}

  /** Checks the answer to a call of a pod's worker, from the runtime or from the gateway. */
  answered(podUid: string, outcome: CriOutcome<Uint8Array>): void {
    if (outcome.ok || isInDoubt(outcome.fault) || isNameReserved(outcome.fault)) return;
    // A call that never reached the runtime was not rejected, and must not be reported as a failure.
    if (outcome.fault.code === 'NOT_MADE') return;
    if (outcome.fault.detail !== NAME_TAKEN) this.refused.add(podUid);
  }

  /** Fencing: nothing is created for a pod while an earlier incarnation's calls for the pod are under way. */
  #mustBeAlone(call: CallSeen, underWay: ReadonlySet<CallSeen> | undefined): void {
    const mine = this.#meta.get(call.request);
    for (const other of underWay ?? []) {
      const theirs = this.#meta.get(other.request);
      if (mine === undefined || theirs === undefined || harmless.has(criMethods[other.method].lane)) continue;
      if (theirs.caller === mine.caller && theirs.incarnation < mine.incarnation) {
        this.#complain(
          'effects-are-fenced',
          `${call.method} for ${mine.podUid.slice(0, 8)} began while ${other.method} of an earlier incarnation was under way`,
        );
      }
    }
  }

  #enter(call: CallSeen): void {
    // The gateway's own check of the runtime uses no lane.
    if (call.method === 'Status' || call.method === 'Version') return;
    const lane = this.#laneOf(call);
    const lanes = this.#inLane.get(call.life) ?? new Map<Lane, Map<CallSeen, number>>();
    this.#inLane.set(call.life, lanes);
    const calls = (lanes.get(lane) ?? new Map<CallSeen, number>()).set(call, this.#now());
    lanes.set(lane, calls);
    const limit = this.#limits[lane];
    if (calls.size <= limit) return;
    const prompt = [...calls.values()].filter((began) => this.#now() - began < SURELY_PROMPT_MS).length;
    if (prompt > limit) this.#complain('lanes-are-limited', `${prompt} calls at once in lane ${lane}`);
    else if (calls.size > 4 * limit || SLOW_LANES.has(lane)) {
      this.#complain('lanes-are-limited', `${calls.size} calls under way in lane ${lane}, ${prompt} of them new`);
    }
  }

  #laneOf({ method, request }: CallSeen): Lane {
    return this.#lanes.get(request) ?? criMethods[method].lane;
  }
}

/** After ten seconds without an answer (a pull after a minute) a call leaves its place to another; a little of that it may be on its way. */
const SURELY_PROMPT_MS = 9_000;
const SLOW_LANES: ReadonlySet<Lane> = new Set(['hook']);

/** Flow control between threads: what leaves stays within the credits, but for what a host is told, which is urgent. */
export function creditChecker(complain: Complain, credits: number): (batch: Batch, unread: number) => void {
  return ([, frames], unread) => {
    const usual = frames.filter((frame) => typeof frame[1] !== 'string' || !frame[1].startsWith('host/')).length;
    if (usual === 0 || unread + usual <= credits) return;
    complain('links-keep-to-credits', `${unread + usual} frames are under way on a link, unread`);
  };
}

const harmless: ReadonlySet<Lane> = new Set<Lane>(['pull', 'probe', 'hook', 'stats']);

/** Checks supervisors: no more restarts than the budget allows, and none before the back-off ends. */
export class RestartChecker {
  readonly #complain: Complain;
  readonly #ruleOf: (child: string) => RestartRule | undefined;
  readonly #togetherWith: (child: string) => readonly string[];
  readonly #crashes = new Map<string, number[]>();
  readonly #notBefore = new Map<string, number>();

  constructor(
    complain: Complain,
    tree: {
      readonly ruleOf: (child: string) => RestartRule | undefined;
      readonly restartedWith: (child: string) => readonly string[];
    },
  ) {
    this.#complain = complain;
    this.#ruleOf = tree.ruleOf;
    this.#togetherWith = tree.restartedWith;
  }

  /** Forgets an ended supervisor: its successor starts without history. */
  forget(of: (child: string) => boolean): void {
    for (const child of this.#crashes.keys()) if (of(child)) this.#crashes.delete(child);
    for (const child of this.#notBefore.keys()) if (of(child)) this.#notBefore.delete(child);
  }

  reported({ child, verdict }: SupervisorReport, now: number): void {
    const rule = this.#ruleOf(child);
    if (rule === undefined || verdict !== 'restart') return;
    const { atMost, withinMs } = rule.budget;
    const recent = [...(this.#crashes.get(child) ?? []).filter((at) => now - at <= withinMs), now];
    this.#crashes.set(child, recent);
    // Children that are restarted together lose their own pending restarts.
    for (const other of this.#togetherWith(child)) this.#notBefore.delete(other);
    if (rule.whenSpent === 'escalate' && recent.length > atMost) {
      this.#complain('restarts-within-budget', `${child} was restarted ${recent.length} times within ${withinMs} ms`);
    }
    const { initialMs, maxMs } = rule.backOff;
    const inARow = Math.min(recent.length, atMost + 1) - 1;
    if (inARow > 0) this.#notBefore.set(child, now + Math.min(maxMs, initialMs * 2 ** (inARow - 1)) * 0.999);
  }

  born(address: string, now: number): void {
    const notBefore = this.#notBefore.get(address);
    this.#notBefore.delete(address);
    if (notBefore !== undefined && now < notBefore - 0.5) {
      this.#complain('restarts-back-off', `${address} was restarted ${(notBefore - now).toFixed(0)} ms too soon`);
    }
  }
}
