import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { portOrFree } from '../../../src/cli/dev/port-or-free.ts';

/** Occupies a port while `meanwhile` runs. */
async function whileListening<T>(meanwhile: (port: number) => Promise<T>): Promise<T> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const result = await meanwhile((server.address() as AddressInfo).port);
  server.close();
  await once(server, 'close');
  return result;
}

const nobodyListensOn = (): Promise<number> => whileListening((port) => Promise.resolve(port));

describe('a port to listen on', () => {
  it('is the requested port if free', async () => {
    const port = await nobodyListensOn();
    expect(await portOrFree(port)).toBe(port);
  });

  it('is another port if the requested port is in use', async () => {
    await whileListening(async (port) => {
      const free = await portOrFree(port);
      expect(free).not.toBe(port);
      expect(free).toBeGreaterThan(0);
    });
  });

  it('is given to only one of many concurrent requests', async () => {
    const port = await nobodyListensOn();
    const given = await Promise.all(Array.from({ length: 20 }, () => portOrFree(port)));
    expect(given).toContain(port);
    expect(new Set(given).size).toBe(20);
  });
});
