import { decodeManifest, describeManifestProblem, type ManifestProblem } from '../kube/manifest/decode-manifest.ts';
import { defaultPod } from '../kube/manifest/default-pod.ts';
import { formatFieldPath } from '../kube/validation/field-path.ts';
import type { Pod } from '../kube/pod.ts';
import { parseYaml } from '../kube/text/parse-yaml.ts';
import { staticPod } from '../kube/manifest/static-pod.ts';
import { validatePod } from '../kube/validation/validate-pod.ts';

/** Several times the pods of a large node. Each pod of the list becomes a worker. */
export const MOST_PODS = 5_000;

/** The response of a URL, to be parsed. */
export interface PodListText {
  readonly url: string;
  readonly nodeName: string;
  readonly body: string;
}

/** All pods of the response, or one line for people about the first invalid one. */
export type ParsedPodList =
  { readonly ok: true; readonly pods: readonly Pod[] } | { readonly ok: false; readonly problem: string };

/**
 * Job for a worker thread: makes static pods of this node from a Pod or a list of Pods, in YAML or JSON. Returns all of
 * them or none.
 */
export function parsePodList({ url, nodeName, body }: PodListText): ParsedPodList {
  const parsed = parseYaml(body, { reading: { prettyErrors: true } });
  if (!parsed.ok) return { ok: false, problem: `${url}: ${parsed.problem}` };
  const document = parsed.value;
  // Members of any document are unknown; both are checked below.
  const { kind, items } = (document ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  const isList = kind === 'PodList' || kind === 'List';
  const written: readonly unknown[] = isList ? (Array.isArray(items) ? items : []) : [document];
  if (written.length > MOST_PODS) {
    return { ok: false, problem: `${url} returned ${written.length} pods, more than the limit of ${MOST_PODS}` };
  }
  const pods: Pod[] = [];
  for (const [index, item] of written.entries()) {
    // Items of a list may omit their kind and version.
    const text = isList ? JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...(item as object | null) }) : body;
    const made = podFrom(text, { url: isList ? `${url} items[${index}]` : url, source: url, nodeName });
    if (!made.ok) return made;
    pods.push(made.pod);
  }
  return { ok: true, pods };
}

function podFrom(
  text: string,
  { url, source, nodeName }: { readonly url: string; readonly source: string; readonly nodeName: string },
): { readonly ok: true; readonly pod: Pod } | { readonly ok: false; readonly problem: string } {
  const decoded = decodeManifest({ file: url, text, sizeBytes: text.length });
  if (!decoded.ok) return { ok: false, problem: firstOf(decoded.problems, url) };
  // The decoder accepts Pods without either member, whatever the type says; the code below does not.
  const { metadata, spec } = decoded.pod as Partial<Pod>;
  const made =
    metadata === undefined || spec === undefined
      ? undefined
      : staticPod({ manifest: decoded.pod, nodeName, source: { type: 'http', url: source } });
  if (made?.ok === false) return { ok: false, problem: `${url}: ${made.message}` };
  const pod = made === undefined ? decoded.pod : defaultPod(made.pod);
  const [invalid] = validatePod(pod);
  if (invalid === undefined) return { ok: true, pod };
  return { ok: false, problem: `${url}: ${formatFieldPath(invalid.path)}: ${invalid.message}` };
}

const firstOf = ([first]: readonly ManifestProblem[], url: string): string =>
  first === undefined ? `${url}: cannot be used` : describeManifestProblem(first);
