import type { Pod } from '../../kube/pod.ts';
import { CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION } from '../../kube/manifest/static-pod.ts';

/**
 * The object that shows a static pod in the API (concept: static pods). It belongs to the Node, and goes with it. Its UID
 * is the API's to give; that of the static pod is in its annotations.
 */
export function mirrorPod({ metadata, spec }: Pod, node: { readonly name: string; readonly uid: string }): object {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [CONFIG_MIRROR_ANNOTATION]: annotations?.[CONFIG_HASH_ANNOTATION] ?? '' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid, controller: true }],
    },
    spec,
  };
}
