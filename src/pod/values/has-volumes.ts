import type { Pod } from '../../kube/pod.ts';

/** Returns `true` if the pod has a volume; most pods have none. */
export const hasVolumes = ({ spec }: Pod): boolean => (spec.volumes?.length ?? 0) > 0;
