import { lstatSync, unlinkSync } from 'node:fs';

/**
 * Removes a unix socket that a dead process left behind, so that this process can listen at the path. Returns the
 * reason when the path cannot be used; `undefined` when it is free. `problemOf` returns the reason if a process listens
 * on the socket.
 */
export async function claimSocket(
  path: string,
  problemOf: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isSocket()) return `${path} exists and is not a socket; it will not be overwritten`;
  const problem = await problemOf(path);
  if (problem === undefined) unlinkSync(path);
  return problem;
}
