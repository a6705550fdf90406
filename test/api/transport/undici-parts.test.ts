import { Pool, ProxyAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { newPool, newProxyAgent } from '../../../src/api/transport/undici-parts.ts';

describe('the parts of undici that are loaded from their own files', () => {
  it('are those that undici itself exports', async () => {
    const [pool, proxy] = [newPool('http://localhost'), newProxyAgent('http://localhost')];
    expect(pool).toBeInstanceOf(Pool);
    expect(proxy).toBeInstanceOf(ProxyAgent);
    await Promise.all([pool.close(), proxy.close()]);
  });
});
