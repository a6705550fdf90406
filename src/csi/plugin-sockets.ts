import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder below the agent's root where plugins register. */
export const PLUGINS_REGISTRY = 'plugins_registry';

/** Returns the sockets in a folder and below, by path. Each has a text that changes when another plugin serves it. */
export async function pluginSockets(folder: string): Promise<ReadonlyMap<string, string>> {
  const sockets = new Map<string, string>();
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of entries) {
    // Hidden sockets are still being created. A link could lead anywhere.
    if (!entry.isSocket() || entry.name.startsWith('.')) continue;
    const path = join(entry.parentPath, entry.name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isSocket() === true) sockets.set(path, `${stats.dev}:${stats.ino}:${stats.ctimeMs}`);
  }
  return sockets;
}
