import { createServer as httpServer, type RequestListener } from 'node:http';
import { createServer as tcpServer, type AddressInfo, type Server } from 'node:net';
import { afterEach } from 'vitest';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => void server.close(resolve));
});

/** Serves on loopback until the test is over; answers with the port. */
export async function serving(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  // It listens on an address, not on a path.
  return (server.address() as AddressInfo).port;
}

export const servingHttp = (listener: RequestListener): Promise<number> => serving(httpServer(listener));

/** A closed port: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = tcpServer();
  const port = await serving(server);
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
