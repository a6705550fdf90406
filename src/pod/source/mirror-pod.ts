import type { Pod } from '../../kube/pod.ts';
import { CONFIG_HASH_ANNOTATION, CONFIG_MIRROR_ANNOTATION } from '../../kube/manifest/static-pod.ts';

/**
 * Returns the API object that shows a static pod (concept: static pods). The Node owns the object, so both are deleted
 * together. The API server assigns its UID; an annotation holds the UID of the static pod.
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
