import { fnv1a32 } from '../../kube/text/fnv-hash.ts';
import type { Container } from '../../kube/pod.ts';

/**
 * Which definition a container was made from, as the annotation `io.kubernetes.container.hash` keeps it: lower-case
 * hexadecimal without leading zeros. It covers name and image only, so nothing else in a spec restarts a container.
 *
 * The value equals the Go kubelet's, so that its containers can be adopted. There the JSON text is hashed through a dump of
 * its bytes, which is why the hashed text is a list of decimal numbers behind a Go type name.
 */
export function containerHash(container: Pick<Container, 'name' | 'image'>): string {
  const json = goJson(`{"image":${JSON.stringify(container.image ?? '')},"name":${JSON.stringify(container.name)}}`);
  return fnv1a32(`([]uint8)[${Buffer.from(json).join(' ')}]`).toString(16);
}

/** Go's encoder escapes what would be unsafe inside HTML or JavaScript; no valid image or name holds any of it. */
const goJson = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
