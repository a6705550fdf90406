import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../src/agent-environment.ts';

describe('the environment of an agent’s process', () => {
  it('is that of its launcher, without what is between that and systemd', () => {
    const env = agentEnvironment({ PATH: '/bin', NOTIFY_SOCKET: '/run/notify' });
    expect(env).toMatchObject({ PATH: '/bin' });
    expect(env).not.toHaveProperty('NOTIFY_SOCKET');
  });

  it('has large buffers given back to the kernel', () => {
    expect(agentEnvironment({})).toEqual({ GLIBC_TUNABLES: expect.stringContaining('glibc.malloc.mmap_threshold=') });
  });

  it('leaves to the user what the user has set', () => {
    expect(agentEnvironment({ GLIBC_TUNABLES: 'glibc.malloc.arena_max=2' })).toEqual({
      GLIBC_TUNABLES: 'glibc.malloc.arena_max=2',
    });
  });
});
