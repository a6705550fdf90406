import { addressOf } from '../../src/actor/messages/message.ts';
import type { ContainerId, PodUid } from '../../src/kube/ids.ts';
import type { ProbeVerdict } from '../../src/pod/values/probe-readiness.ts';
import type { HandlerTarget } from '../../src/probing/probe-target.ts';

/** What the probe manager can be told. Most of it comes from the workers of pods. */
export type ProbeManagerCommand =
  /**
   * What of a pod is to be probed from now on. It replaces what was said before. It may be said again at any time: whatever
   * is known here and not in its `verdicts` is then told back.
   */
  | ({ readonly type: 'probe-pod' } & ProbedPod)
  /** Also of the pod manager: nothing of the pod is to be probed any more. */
  | { readonly type: 'forget-pod'; readonly podUid: PodUid }
  /** Of a pod manager that has found out what there is: whatever else is probed here is of pods that are gone. */
  | { readonly type: 'forget-others'; readonly kept: ReadonlySet<PodUid> };

export type ProbeManagerQuestion =
  /** What is known of a pod's containers, also from before a restart of the agent. */
  { readonly type: 'results-of-pod'; readonly podUid: PodUid };

export interface ProbeManagerProtocol {
  readonly command: ProbeManagerCommand;
  readonly question: ProbeManagerQuestion;
  readonly answers: { readonly 'results-of-pod': PodProbeResults };
}

export const PROBE_MANAGER = addressOf<ProbeManagerProtocol>('probe-manager');

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** What was found out about one container instance. What is absent is not known yet. */
export type ContainerVerdicts = Readonly<Partial<Record<ProbeKind, ProbeVerdict>>>;

export type PodProbeResults = ReadonlyMap<ContainerId, ContainerVerdicts>;

export interface ProbedPod {
  readonly podUid: PodUid;
  readonly name: string;
  readonly namespace: string;
  /** Those that run. */
  readonly containers: readonly ProbedContainer[];
}

/** One running instance of a container. Another one of the same name has another ID, and starts clean. */
export interface ProbedContainer {
  readonly id: ContainerId;
  readonly name: string;
  /** Where in the pod it is defined, for events: `spec.containers{main}`. */
  readonly fieldPath: string;
  /** Wall clock, as the runtime says. */
  readonly startedAt: number;
  readonly probes: readonly ProbeSpec[];
  /** What the pod's worker already knows. */
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

/** What the probe manager tells a pod's worker: a verdict that is new to it. */
export interface ProbeResult {
  readonly type: 'probe-result';
  readonly containerId: ContainerId;
  readonly kind: ProbeKind;
  readonly verdict: ProbeVerdict;
}
