import { decideGates, type GateLookup } from '../../config/feature-gates.ts';
import type { PodUid } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';
import { fit, type AdmissionNode, type Rejection } from './admission.ts';
import type { AdmittedPods } from './admitted-pods.ts';
import { appArmorRejection, type AppArmor } from './apparmor-admission.ts';
import { pressureRejection } from '../eviction/pressure-admission.ts';
import { featureRejection } from './feature-admission.ts';
import type { Pressures } from '../object/node-conditions.ts';
import { choosePreempted } from './preemption.ts';
import { sysctlRejection } from './sysctl-admission.ts';

/** What stays the same as long as the agent runs. */
export interface AdmissionRules {
  /** `allowedUnsafeSysctls`. */
  readonly allowedSysctls: readonly string[];
  readonly appArmor: AppArmor;
  readonly isOn: GateLookup;
  /** Whether containers may swap here, those that the node lets (`memorySwap.swapBehavior`); absent: none may. */
  readonly swap?: 'limited' | 'none';
}

/** A node on which nothing unusual is set. */
export const COMMON_RULES: AdmissionRules = { allowedSysctls: [], appArmor: 'absent', isOn: decideGates({}) };

/** What a pod is judged by. */
export interface AdmissionAround {
  readonly node: AdmissionNode;
  readonly admitted: AdmittedPods;
  /** What the node is short of; undefined: nobody has said so far. */
  readonly pressures: Pressures | undefined;
  readonly shutdown: 'begun' | 'none';
  readonly rules: AdmissionRules;
}

/** Which of the pods that are here may be ended for another. */
export interface Endable {
  mayEnd(uid: PodUid): boolean;
}

export type Judgement =
  | { readonly type: 'admitted' }
  | { readonly type: 'rejected'; readonly rejection: Rejection }
  /** A critical pod: it may come as soon as these have ended for it. `lacking`: of what there is too little. */
  | { readonly type: 'after'; readonly victims: readonly PodUid[]; readonly lacking: string };

const SHUTTING_DOWN: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/**
 * Whether a pod may come onto the node: all questions in the kubelet's order, the first no counts. Others are ended for a
 * critical pod only if there is nothing else against it (the recorded kubelet ends them first, and may refuse it then).
 */
export function judgePod(pod: Pod, around: AdmissionAround & Endable): Judgement {
  const { node, admitted, pressures, shutdown, rules } = around;
  const before = (pressures && pressureRejection(pod, pressures)) ?? sysctlRejection(pod, rules.allowedSysctls);
  if (before !== undefined) return rejected(before);
  const misfit = fit(pod, node, admitted);
  if (misfit !== undefined && misfit.short === undefined) return rejected(misfit.rejection);
  const after =
    appArmorRejection(pod, rules.appArmor) ??
    featureRejection(pod, rules.isOn) ??
    (shutdown === 'begun' ? SHUTTING_DOWN : undefined);
  if (after !== undefined) return rejected(after);
  if (misfit?.short === undefined) return { type: 'admitted' };
  const preemption = choosePreempted(
    pod,
    misfit.short,
    admitted.staying().filter(({ uid }) => around.mayEnd(uid)),
  );
  if (preemption.type === 'victims') return { type: 'after', victims: preemption.uids, lacking: preemption.lacking };
  const message = `Unexpected error while attempting to recover from admission failure: ${preemption.why}`;
  return rejected({ reason: 'UnexpectedAdmissionError', message });
}

/** The same for a pod that is here and asks for more: nobody ends for that, it can wait. */
export function judgeMore(pod: Pod, around: AdmissionAround): Rejection | undefined {
  const { node, admitted, pressures, shutdown, rules } = around;
  return (
    (pressures && pressureRejection(pod, pressures)) ??
    sysctlRejection(pod, rules.allowedSysctls) ??
    fit(pod, node, admitted)?.rejection ??
    featureRejection(pod, rules.isOn) ??
    (shutdown === 'begun' ? SHUTTING_DOWN : undefined)
  );
}

const rejected = (rejection: Rejection): Judgement => ({ type: 'rejected', rejection });
