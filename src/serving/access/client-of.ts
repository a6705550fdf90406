const MAPPED = '::ffff:';
/** How many of the eight groups of an IPv6 address name the network. One client may have all addresses within it. */
const NETWORK_GROUPS = 4;

/** Returns a key for an unidentified client: its IPv4 address, or its IPv6 network (/64). */
export function clientOf(address: string | undefined): string {
  const plain = unmapped(address ?? '');
  if (!plain.includes(':')) return plain;
  const [left = '', right] = plain.split('%', 1)[0]?.split('::') ?? [];
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const missing = right === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Returns the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2); any other text as it is. */
function unmapped(address: string): string {
  const rest = address.slice(MAPPED.length);
  return address.slice(0, MAPPED.length).toLowerCase() === MAPPED && rest.includes('.') ? rest : address;
}
