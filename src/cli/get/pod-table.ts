import type { WallMs } from '../../actor/clock.ts';
import type { Pod } from '../../kube/pod.ts';
import { ageSince } from '../../kube/text/human-duration.ts';
import { summarizePod } from './pod-summary.ts';

export interface PodColumns {
  /** Adds the node's and the pod's address. */
  readonly wide: boolean;
  /** Adds the namespace. */
  readonly namespaces: boolean;
}

/** Returns the column headers of {@link podRow}. */
export const podHeader = ({ wide, namespaces }: PodColumns): readonly string[] => [
  ...(namespaces ? ['NAMESPACE'] : []),
  'NAME',
  'READY',
  'STATUS',
  'RESTARTS',
  'AGE',
  ...(wide ? ['IP', 'NODE'] : []),
];

/**
 * Returns one line of the pod table. Without an API server a static pod has no creation time: its age starts with its
 * start.
 */
export function podRow(pod: Pod, columns: PodColumns, now: WallMs): readonly string[] {
  const { metadata, spec, status } = pod;
  const summary = summarizePod(pod);
  const { restarts, lastRestart } = summary;
  return [
    ...(columns.namespaces ? [metadata.namespace] : []),
    metadata.name,
    `${summary.readyContainers}/${summary.totalContainers}`,
    summary.status,
    restarts === 0 || lastRestart === undefined ? String(restarts) : `${restarts} (${ageSince(lastRestart, now)} ago)`,
    ageSince(metadata.creationTimestamp ?? status?.startTime, now),
    ...(columns.wide ? [status?.podIP || '<none>', spec.nodeName || '<none>'] : []),
  ];
}

/** Sorts by namespace, then by name, as kubectl does. */
export const inOrder = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted(
    (a, b) => compare(a.metadata.namespace, b.metadata.namespace) || compare(a.metadata.name, b.metadata.name),
  );

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
