/**
 * The images that the runtime itself needs to make sandboxes, as far as it tells: no container of a pod is made from them, and
 * older runtimes do not pin them. `info`: of a verbose `Status`; containerd's has its configuration in it.
 */
export function sandboxImages(info: Readonly<Record<string, string>>): readonly string[] {
  const { sandboxImage, pinnedImages } = parsed(info['config']);
  const pinned = typeof pinnedImages === 'object' && pinnedImages !== null ? Object.values(pinnedImages) : [];
  return [sandboxImage, ...pinned].filter((name) => typeof name === 'string' && name !== '').map(String);
}

function parsed(text: string | undefined): { readonly sandboxImage?: unknown; readonly pinnedImages?: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
