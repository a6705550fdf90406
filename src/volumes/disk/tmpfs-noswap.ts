/** `true` if a kernel of this release supports tmpfs without swap, which came with Linux 6.4. */
export function knowsNoSwap(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 4);
}
