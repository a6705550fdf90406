import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/**
 * Removes a unix socket that a dead process left behind. Rejects if a process listens on it, or if the path is not
 * a socket.
 */
export async function claimSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket; not overwriting it`);
  if (await answers(path)) throw new Error(`another process listens on ${path}`);
  unlinkSync(path);
}
