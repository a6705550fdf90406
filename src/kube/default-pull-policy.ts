/**
 * Returns the pull policy of an image without one: `Always` for the tag `latest`, written or implied, else
 * `IfNotPresent`. A digest implies no tag.
 */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = image.split('@', 2);
  const lastPart = name.slice(name.lastIndexOf('/') + 1);
  const colon = lastPart.indexOf(':');
  const tag = colon < 0 ? undefined : lastPart.slice(colon + 1);
  if (tag === undefined) return digest === undefined && image !== '' ? 'Always' : 'IfNotPresent';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
