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

/** The rules of admission that stay the same while the agent runs. */
export interface AdmissionRules {
  /** `allowedUnsafeSysctls`. */
  readonly allowedSysctls: readonly string[];
  readonly appArmor: AppArmor;
  readonly isOn: GateLookup;
  /**
   * `limited` if containers may swap where the configuration allows it (`memorySwap.swapBehavior`). When absent, no
   * container may.
   */
  readonly swap?: 'limited' | 'none';
}

/** The rules of a node with default settings. */
export const COMMON_RULES: AdmissionRules = { allowedSysctls: [], appArmor: 'absent', isOn: decideGates({}) };

/** The facts that a pod is judged by. */
export interface AdmissionFacts {
  readonly node: AdmissionNode;
  readonly admitted: AdmittedPods;
  /** The node's pressures; `undefined` before the first report. */
  readonly pressures: Pressures | undefined;
  readonly shutdown: 'begun' | 'none';
  readonly rules: AdmissionRules;
}

/** Returns `true` for a pod that may be preempted. */
export interface Endable {
  mayEnd(uid: PodUid): boolean;
}

export type Judgement =
  | { readonly type: 'admitted' }
  | { readonly type: 'rejected'; readonly rejection: Rejection }
  /** A critical pod: it is admitted once these victims have ended. `lacking` names the scarce resources. */
  | { readonly type: 'after'; readonly victims: readonly PodUid[]; readonly lacking: string };

const SHUTTING_DOWN: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/**
 * Decides whether the node admits a pod: all checks in the kubelet's order, the first failed one counts. Others are
 * ended for a critical pod only if no other check fails. (The recorded kubelet ends them first, and may reject the pod
 * afterwards.)
 */
export function judgePod(pod: Pod, around: AdmissionFacts & Endable): Judgement {
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

/**
 * Like `judgePod`, for a present pod that asks for more resources. No pod is ended for it, because a resize can wait.
 */
export function judgeMore(pod: Pod, around: AdmissionFacts): Rejection | undefined {
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
