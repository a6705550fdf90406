import { homedir } from 'node:os';
import { join } from 'node:path';
import { readTextSync } from '../host/read-regular-file.ts';
import { loginsInFile, type RegistryLogin } from '../pod/image/image-credentials.ts';

/**
 * Reads the login files of container tools: the agent's own folder first, then this user's. They may change, so every
 * call reads them again.
 */
export function loginsInFiles(image: string, rootDir: string): readonly RegistryLogin[] {
  const home = homedir();
  const now = [join(rootDir, 'config.json'), join(home, '.docker/config.json'), '/.docker/config.json'];
  const formerly = [join(rootDir, '.dockercfg'), join(home, '.dockercfg'), '/.dockercfg'];
  return [...now, ...formerly].flatMap((path) => {
    const text = textOf(path);
    return text === undefined ? [] : loginsInFile(image, text);
  });
}

function textOf(path: string): string | undefined {
  try {
    return readTextSync(path);
  } catch {
    return undefined;
  }
}
