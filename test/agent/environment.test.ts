import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../src/agent/environment.ts';

describe('the environment of an agent’s process', () => {
  it("is the launcher's, without variables meant for systemd", () => {
    const env = agentEnvironment({ PATH: '/bin', NOTIFY_SOCKET: '/run/notify' });
    expect(env).toMatchObject({ PATH: '/bin' });
    expect(env).not.toHaveProperty('NOTIFY_SOCKET');
  });

  it.each([
    { cores: 1, arenas: 2 },
    { cores: 2, arenas: 2 },
    { cores: 64, arenas: 64 },
  ])('returns large buffers to the kernel, with an arena for each core: $arenas with $cores', ({ cores, arenas }) => {
    expect(agentEnvironment({}, cores)).toEqual({
      GLIBC_TUNABLES: `glibc.malloc.mmap_threshold=524288:glibc.malloc.trim_threshold=1048576:glibc.malloc.arena_max=${arenas}`,
    });
  });

  it('keeps values that the user has set', () => {
    expect(agentEnvironment({ GLIBC_TUNABLES: 'glibc.malloc.arena_max=2' })).toEqual({
      GLIBC_TUNABLES: 'glibc.malloc.arena_max=2',
    });
  });
});
