import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { ProbedContainer, ProbeKind } from './protocol.ts';

export interface ProbeEventInput {
  readonly podUid: PodUid;
  readonly pod: { readonly name: string; readonly namespace: string };
  readonly container: Pick<ProbedContainer, 'fieldPath'>;
  readonly kind: ProbeKind;
  readonly outcome: ProbeOutcome;
}

const NAMES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

/**
 * Returns the event of a run, in the kubelet's words. `undefined` after a success, and when the runtime does not
 * answer.
 */
export function probeEvent({ podUid, pod, container, kind, outcome }: ProbeEventInput): EventToRecord | undefined {
  const text = textOf(outcome);
  if (text === undefined) return undefined;
  const { name, namespace } = pod;
  const { fieldPath } = container;
  return {
    object: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: podUid, fieldPath },
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
