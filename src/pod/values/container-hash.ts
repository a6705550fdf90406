import { fnv1a32 } from '../../kube/text/fnv-hash.ts';
import type { Container } from '../../kube/pod.ts';

/**
 * Returns the hash of a container's definition, as the annotation `io.kubernetes.container.hash` keeps it: lower-case
 * hexadecimal without leading zeros. It covers name and image only, so nothing else in a spec restarts a container.
 *
 * The value equals the Go kubelet's, so that its containers can be adopted. Go hashes a dump of the JSON text's bytes.
 * That is why the hashed text is a list of decimal numbers after a Go type name.
 */
export function containerHash(container: Pick<Container, 'name' | 'image'>): string {
  const json = goJson(`{"image":${JSON.stringify(container.image ?? '')},"name":${JSON.stringify(container.name)}}`);
  return fnv1a32(`([]uint8)[${Buffer.from(json).join(' ')}]`).toString(16);
}

/** Go's encoder escapes characters that are unsafe in HTML or JavaScript. No valid image or name contains any. */
const goJson = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
