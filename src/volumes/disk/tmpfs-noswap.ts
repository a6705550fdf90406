/** Whether a kernel of this release has tmpfs that never goes to swap: it came with Linux 6.4. */
export function knowsNoSwap(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 4);
}
