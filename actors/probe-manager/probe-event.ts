import { assertNever } from '../../src/kube/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { ProbedContainer, ProbeKind } from './protocol.ts';

/** What is to be said of a pod's container for its users to see. */
export interface ProbeEvent {
  readonly pod: { readonly uid: PodUid; readonly name: string; readonly namespace: string };
  readonly fieldPath: string;
  readonly type: 'Warning';
  readonly reason: 'Unhealthy' | 'ProbeWarning';
  readonly message: string;
}

export interface ProbeEventInput {
  readonly podUid: PodUid;
  readonly pod: { readonly name: string; readonly namespace: string };
  readonly container: Pick<ProbedContainer, 'fieldPath'>;
  readonly kind: ProbeKind;
  readonly outcome: ProbeOutcome;
}

const NAMES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

/** The event of a run, in the kubelet's words. A success is none, nor is a runtime that does not answer. */
export function probeEvent({ podUid, pod, container, kind, outcome }: ProbeEventInput): ProbeEvent | undefined {
  const text = textOf(outcome);
  if (text === undefined) return undefined;
  return {
    pod: { uid: podUid, name: pod.name, namespace: pod.namespace },
    fieldPath: container.fieldPath,
    type: 'Warning',
    reason: outcome.result === 'warning' ? 'ProbeWarning' : 'Unhealthy',
    message: `${NAMES[kind]} probe ${text}`,
  };
}

function textOf({ result, output }: ProbeOutcome): string | undefined {
  switch (result) {
    case 'success':
    case 'unheard':
      return undefined;
    case 'warning':
      return `warning: ${output}`;
    case 'failure':
      return `failed: ${output}`;
    case 'error':
      return `errored and resulted in unknown state: ${output}`;
    default:
      return assertNever(result, 'probe result');
  }
}
