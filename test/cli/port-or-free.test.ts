import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { portOrFree } from '../../src/cli/port-or-free.ts';

async function listening(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => void (await Promise.all([once(server, 'close'), server.close()])),
  };
}

describe('a port that is to be listened on', () => {
  it('is the wanted one where nobody is', async () => {
    const { port, close } = await listening();
    await close();
    expect(await portOrFree(port)).toBe(port);
  });

  it('is another one where somebody listens already', async () => {
    const { port, close } = await listening();
    const free = await portOrFree(port);
    await close();
    expect(free).not.toBe(port);
    expect(free).toBeGreaterThan(0);
  });

  it('is given to one only of many who ask before any of them listens', async () => {
    const { port, close } = await listening();
    await close();
    const given = await Promise.all(Array.from({ length: 20 }, () => portOrFree(port)));
    expect(given).toContain(port);
    expect(new Set(given).size).toBe(20);
  });
});
