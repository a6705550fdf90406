/**
 * A kernel parameter's name in dotted form. Written with slashes, dots within a part stand for themselves
 * (`net/ipv4/conf/eth0.1/…`), so that the two are exchanged (sysctl.d(5)): the first separator tells which form it is.
 */
export function sysctlName(name: string): string {
  if (/[./]/.exec(name)?.[0] !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
