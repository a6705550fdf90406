import { connect } from 'node:net';
import { claimSocket } from '../../../host/claim-socket.ts';

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Claims a socket of the runtime. Rejects if another process listens on it, or if the path is not a socket. */
export async function claimRuntimeSocket(path: string): Promise<void> {
  const problem = await claimSocket(path, async () =>
    (await answers(path)) ? `another process listens on ${path}` : undefined,
  );
  if (problem !== undefined) throw new Error(problem);
}
