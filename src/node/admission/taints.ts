import type { Toleration } from '../../kube/pod.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** `true` if one of the tolerations tolerates the taint (concept: taints and tolerations). */
export const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    // A toleration without a key needs the operator `Exists`, and tolerates every taint.
    if (key !== '' && key !== taint.key) return false;
    if (operator === 'Exists') return true;
    return operator === 'Equal' && key !== '' && value === (taint.value ?? '');
  });
