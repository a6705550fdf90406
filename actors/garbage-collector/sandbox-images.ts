/**
 * Images that the runtime itself needs for sandboxes, as far as it reports them. No container of a pod uses these
 * images, and older runtimes do not pin them. `info` comes from a verbose `Status`; containerd's contains its
 * configuration.
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
