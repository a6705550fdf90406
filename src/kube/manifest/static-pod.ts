import { apiObjectsReferencedBy } from './api-references.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import { fnv1a128 } from '../text/fnv-hash.ts';
import type { Pod } from '../pod.ts';

export const CONFIG_SOURCE_ANNOTATION = 'kubernetes.io/config.source';
export const CONFIG_SEEN_ANNOTATION = 'kubernetes.io/config.seen';
export const CONFIG_HASH_ANNOTATION = 'kubernetes.io/config.hash';
export const CONFIG_MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** From here on a pod's priority makes it critical (`system-cluster-critical`). */
export const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Where a manifest was found. */
export type ManifestSource =
  { readonly type: 'file'; readonly path: string } | { readonly type: 'http'; readonly url: string };

export interface StaticPodInput {
  /** As decoded, before any default: defaults change from release to release, and the UID must not. */
  readonly manifest: Pod;
  readonly nodeName: string;
  readonly source: ManifestSource;
  /** Kinds of API objects, in the plural, that this node can have without an API server. */
  readonly mayReferTo?: readonly string[];
}

export type StaticPodResult =
  | { readonly ok: true; readonly pod: Pod }
  | { readonly ok: false; readonly references: readonly string[]; readonly message: string };

/**
 * Makes a manifest the pod of this node: name, UID, namespace, node, and the annotations by which it is known as static.
 * The same manifest at the same place on the same node gives the same UID; any change gives another, and so another pod.
 *
 * Refused are manifests that need objects of the API: a static pod must be able to run without one. Defaults and
 * validation are not done here, nor is the annotation that says when it was first seen (`withConfigSeen`).
 */
export function staticPod({ manifest, nodeName, source, mayReferTo = [] }: StaticPodInput): StaticPodResult {
  const references = apiObjectsReferencedBy(manifest).filter((kind) => !mayReferTo.includes(kind));
  if (references.length > 0) {
    return { ok: false, references, message: `static pods may not reference ${references.join(', ')}` };
  }
  const { metadata, spec } = manifest;
  const hash = metadata.uid || manifestHash(manifest, nodeName, source);
  const tolerations = [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }];
  return {
    ok: true,
    pod: {
      ...manifest,
      metadata: {
        ...metadata,
        // A missing name stays missing, so that validation names the fault and not its consequence.
        name: metadata.name ? `${metadata.name}-${nodeName.toLowerCase()}` : metadata.name,
        namespace: metadata.namespace || 'default',
        uid: hash,
        annotations: {
          ...metadata.annotations,
          [CONFIG_HASH_ANNOTATION]: hash,
          [CONFIG_SOURCE_ANNOTATION]: source.type,
        },
      },
      spec: { ...spec, nodeName, ...(source.type === 'file' ? { tolerations } : {}) },
      status: { phase: 'Pending' },
    },
  };
}

function manifestHash(manifest: Pod, nodeName: string, source: ManifestSource): string {
  const place = source.type === 'file' ? `file:${source.path}` : `url:${source.url}`;
  return fnv1a128(canonicalJson(manifest), `host:${nodeName}`, place);
}

/** The pod with the moment at which this node first saw it (RFC 3339 with fraction). */
export const withConfigSeen = (pod: Pod, seen: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [CONFIG_SEEN_ANNOTATION]: seen } },
});

/** Whether the pod came from a file or a URL and not from the API. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
}

/** Whether the pod is the API's image of a static pod. */
export const isMirrorPod = (pod: Pod): boolean => pod.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] !== undefined;

/** Whether the pod may displace others and is never evicted: static, mirror, or of system priority. */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;

/** Whether the node itself depends on the pod; the kernel then kills it last. */
export const isNodeCriticalPod = (pod: Pod): boolean =>
  isCriticalPod(pod) && pod.spec.priorityClassName === 'system-node-critical';
