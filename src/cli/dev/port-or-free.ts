import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * The port if nobody listens there, else one that is free. What is between the question and its use belongs to the asker: no
 * other process that asks in this way is given the same port as long as this one lives.
 */
export async function portOrFree(wanted: number): Promise<number> {
  for (const port of [wanted, 0, 0, 0]) {
    const free = await tryPort(port);
    if (free !== undefined && (await isClaimed(free))) return free;
  }
  return wanted;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}

const claims: Server[] = [];

/** Whether the port is this process's now: one process at a time holds a name of the kernel's, which ends with it. */
function isClaimed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const claim = createServer();
    // Where the kernel knows no such names, there is nothing to hold.
    claim.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    claim.listen(`\0hivelet-port-${port}`, () => {
      claims.push(claim);
      resolve(true);
    });
    claim.unref();
  });
}
