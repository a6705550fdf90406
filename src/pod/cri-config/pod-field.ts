import { goQuoted } from '../../kube/text/go-quoted.ts';
import { own, type Keyed } from '../../kube/text/own.ts';
import type { Pod } from '../../kube/pod.ts';

const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.*)'\]$/;

export interface PodFieldInput {
  readonly pod: Pod;
  /** Empty until the sandbox has an address. */
  readonly podIps: readonly string[];
  /** The addresses of the node, the primary family first. Empty when they are not known. */
  readonly hostIps: readonly string[];
}

/** Returns the value of a downward API `fieldRef` in the environment; `undefined` when the field does not exist. */
export function podField({ pod, podIps, hostIps }: PodFieldInput, fieldPath: string): string | undefined {
  const { metadata, spec } = pod;
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    case 'metadata.uid':
      return metadata.uid;
    case 'spec.nodeName':
    // The field's name in the first version of the API, which is still accepted.
    case 'spec.host':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIps[0] ?? '';
    case 'status.hostIPs':
      return hostIps.join(',');
    case 'status.podIP':
      return podIps[0] ?? '';
    case 'status.podIPs':
      return podIps.join(',');
    case 'metadata.labels':
      return formatMap(metadata.labels ?? {});
    case 'metadata.annotations':
      return formatMap(metadata.annotations ?? {});
    default: {
      const subscript = SUBSCRIPT.exec(fieldPath);
      if (subscript === null) return undefined;
      const members = subscript[1] === 'labels' ? metadata.labels : metadata.annotations;
      return own(members, subscript[2] ?? '') ?? '';
    }
  }
}

/** Formats one `key="value"` a line, sorted by key, as downward API files show maps. */
const formatMap = (members: Keyed<string>): string =>
  Object.keys(members)
    .sort()
    .map((key) => `${key}=${goQuoted(own(members, key) ?? '')}`)
    .join('\n');
