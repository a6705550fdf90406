import { apiObjectsReferencedBy } from './api-references.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import { fnv1a128 } from '../text/fnv-hash.ts';
import type { Pod } from '../pod.ts';

export const CONFIG_SOURCE_ANNOTATION = 'kubernetes.io/config.source';
export const CONFIG_SEEN_ANNOTATION = 'kubernetes.io/config.seen';
export const CONFIG_HASH_ANNOTATION = 'kubernetes.io/config.hash';
export const CONFIG_MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Pods from this priority on are critical (`system-cluster-critical`). */
export const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** The place where a manifest was found. */
export type ManifestSource =
  { readonly type: 'file'; readonly path: string } | { readonly type: 'http'; readonly url: string };

export interface StaticPodInput {
  /** The decoded manifest, before any default: defaults change from release to release, and the UID must not. */
  readonly manifest: Pod;
  readonly nodeName: string;
  readonly source: ManifestSource;
  /** Kinds of API objects, in the plural, that this node can provide without an API server. */
  readonly mayReferTo?: readonly string[];
}

export type StaticPodResult =
  | { readonly ok: true; readonly pod: Pod }
  | { readonly ok: false; readonly references: readonly string[]; readonly message: string };

/**
 * Turns a manifest into a pod of this node: name, UID, namespace, node, and the annotations that mark a static pod. The
 * same manifest at the same place on the same node gives the same UID. Any change gives another UID, and so another
 * pod.
 *
 * Manifests that need API objects are refused, because a static pod must be able to run without an API server. Other
 * code sets defaults, validates, and adds the annotation of the first sight (`withConfigSeen`).
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

/** Returns the pod with the instant at which this node first saw it (RFC 3339 with fraction). */
export const withConfigSeen = (pod: Pod, seen: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [CONFIG_SEEN_ANNOTATION]: seen } },
});

/** `true` if the pod came from a file or a URL and not from the API. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
}

/** `true` if the pod is the API object that shows a static pod. */
export const isMirrorPod = (pod: Pod): boolean => pod.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] !== undefined;

/** `true` if the pod may displace others and is never evicted: static, mirror, or of system priority. */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;

/** `true` if the node itself depends on the pod; the kernel then kills it last. */
export const isNodeCriticalPod = (pod: Pod): boolean =>
  isCriticalPod(pod) && pod.spec.priorityClassName === 'system-node-critical';
