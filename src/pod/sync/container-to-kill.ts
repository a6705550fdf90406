import type { ContainerToKill, KillReason } from './pod-actions.ts';
import type { RuntimeContainer } from '../values/runtime-pod-status.ts';

/** Names a container to kill, with the reason in the words of the `Killing` event. */
export function containerToKill(
  { id, name }: RuntimeContainer,
  reason: KillReason,
  wording: { readonly subject: 'Container' | 'Init container'; readonly restarted?: boolean },
): ContainerToKill {
  const intent = wording.restarted === true ? ', will be restarted' : '';
  return { id, name, reason, message: `${wording.subject} ${name} ${WHY[reason]}${intent}` };
}

const WHY = {
  'liveness-probe': 'failed liveness probe',
  'startup-probe': 'failed startup probe',
  'unknown-state': 'is in "unknown" state, try killing it before restart',
  'definition-changed': 'definition changed',
  resize: 'resize requires restart',
} as const satisfies Record<KillReason, string>;
