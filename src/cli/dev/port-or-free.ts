import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Returns the port if no process listens there, else a free one. No other process that calls this gets the same port as
 * long as this process lives. Any other use in the meantime is the caller's risk.
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
      // A server that listens on a port has such an address.
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}

const claims: Server[] = [];

/**
 * `true` if the port is now claimed by this process. A name in the kernel is held by one process at a time, and ends
 * with it.
 */
function isClaimed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const claim = createServer();
    // A kernel without such names has nothing to hold.
    claim.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    claim.listen(`\0hivelet-port-${port}`, () => {
      claims.push(claim);
      resolve(true);
    });
    claim.unref();
  });
}
