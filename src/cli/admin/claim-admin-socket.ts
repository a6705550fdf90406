import { AdminClient, AdminError } from './admin-client.ts';
import { claimSocket } from '../../host/claim-socket.ts';
import { makeDirectories } from '../../host/exact-modes.ts';
import { ROOT_DIR_MODE } from '../../host/data-directories.ts';
import { adminSocketPath, fitsSocketPath } from './admin-socket.ts';

/** The root folder cannot be used by this agent. The message is for people. */
export class RootDirInUse extends Error {}

/**
 * Removes the socket of a dead process and returns the path for the agent's socket. Rejects with {@link RootDirInUse}
 * if another agent answers there, or if the socket cannot be created.
 */
export async function claimAdminSocket(rootDir: string): Promise<string> {
  const path = adminSocketPath(rootDir);
  if (!fitsSocketPath(path)) {
    throw new RootDirInUse(`--root-dir ${rootDir} is too long: ${path} exceeds the 107 bytes of a unix socket path`);
  }
  makeDirectories(rootDir, ROOT_DIR_MODE);
  const problem = await claimSocket(path, async () => {
    const holder = await findHolder(path);
    return holder && `${holder} runs with --root-dir ${rootDir}`;
  });
  if (problem !== undefined) throw new RootDirInUse(problem);
  return path;
}

/** Returns the process that listens on the socket, in words. `undefined` when there is none. */
async function findHolder(path: string): Promise<string | undefined> {
  try {
    const { pid, version } = await new AdminClient(path).agent();
    return `another hivelet (process ${pid}, version ${version})`;
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not-running') return undefined;
    return `another process, which does not answer as a hivelet agent (${String(error)}),`;
  }
}
