/**
 * Returns a figure of the kernel's `meminfo`, in bytes; the file counts kibibytes. `undefined` when the file does not
 * have it.
 */
export function memInfoBytes(text: string | undefined, key: string): bigint | undefined {
  const opening = `${key}:`;
  for (const line of (text ?? '').split('\n')) {
    const figure = line.startsWith(opening) ? /^\s+(\d+) kB$/.exec(line.slice(opening.length))?.[1] : undefined;
    if (figure !== undefined) return BigInt(figure) * 1024n;
  }
  return undefined;
}
