/**
 * Returns a kernel parameter's name in dotted form. In the form with slashes, a dot belongs to the part
 * (`net/ipv4/conf/eth0.1/…`), so the two characters are swapped (sysctl.d(5)). The first separator tells which form it
 * is.
 */
export function sysctlName(name: string): string {
  if (/[./]/.exec(name)?.[0] !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
