const decimal = /^[1-9][0-9]*$/;

/**
 * `true` if one version of an object is older than another. Resource versions are whole numbers that grow
 * (KEP-5504). `false` for a server with other versions.
 */
export function isOlderVersion(one: string, other: string): boolean {
  if (!decimal.test(one) || !decimal.test(other)) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
