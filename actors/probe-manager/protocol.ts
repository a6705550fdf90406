import type { WallMs } from '../../src/actor/clock.ts';
import { addressOf } from '../../src/actor/messages/message.ts';
import type { ContainerId, PodUid } from '../../src/kube/ids.ts';
import type { ProbeVerdict } from '../../src/pod/values/probe-readiness.ts';
import type { HandlerTarget } from '../../src/probing/probe-target.ts';

/** Commands from other actors, mostly from pod workers. */
export type ProbeManagerCommand =
  /**
   * The containers to probe from now on; replaces the earlier message. It may be repeated at any time: verdicts known
   * here that differ from its `verdicts` are then reported.
   */
  | ({ readonly type: 'probe-pod' } & ProbedPod)
  /** Also from the pod manager: nothing of the pod is to be probed any more. */
  | { readonly type: 'forget-pod'; readonly podUid: PodUid }
  /** From a pod manager that has finished its survey: all pods not in `kept` are gone. */
  | { readonly type: 'forget-others'; readonly kept: ReadonlySet<PodUid> };

export type ProbeManagerQuestion =
  /** Asks for the verdicts on a pod's containers, including those from before an agent restart. */
  { readonly type: 'results-of-pod'; readonly podUid: PodUid };

export interface ProbeManagerProtocol {
  readonly command: ProbeManagerCommand;
  readonly question: ProbeManagerQuestion;
  readonly answers: { readonly 'results-of-pod': PodProbeResults };
}

export const PROBE_MANAGER = addressOf<ProbeManagerProtocol>('probe-manager');

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** Verdicts on one container instance. An absent verdict is not known yet. */
export type ContainerVerdicts = Readonly<Partial<Record<ProbeKind, ProbeVerdict>>>;

export type PodProbeResults = ReadonlyMap<ContainerId, ContainerVerdicts>;

export interface ProbedPod {
  readonly podUid: PodUid;
  readonly name: string;
  readonly namespace: string;
  /** The running containers. */
  readonly containers: readonly ProbedContainer[];
}

/**
 * One running instance of a container. Another instance of the same name has another ID and starts without verdicts.
 */
export interface ProbedContainer {
  readonly id: ContainerId;
  readonly name: string;
  /** Path of the container in the pod, for events: `spec.containers{main}`. */
  readonly fieldPath: string;
  /** Wall clock of the runtime. */
  readonly startedAt: WallMs;
  readonly probes: readonly ProbeSpec[];
  /** The verdicts that the pod's worker already knows. */
  readonly verdicts: ContainerVerdicts;
}

export interface ProbeSpec {
  readonly kind: ProbeKind;
  readonly target: HandlerTarget;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** Sent to a pod's worker: a verdict that is new to it. */
export interface ProbeResult {
  readonly type: 'probe-result';
  readonly containerId: ContainerId;
  readonly kind: ProbeKind;
  readonly verdict: ProbeVerdict;
}
