import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../src/agent/environment.ts';

describe('the environment of an agent’s process', () => {
  it("is the launcher's, without variables meant for systemd", () => {
    const env = agentEnvironment({ PATH: '/bin', NOTIFY_SOCKET: '/run/notify' });
    expect(env).toMatchObject({ PATH: '/bin' });
    expect(env).not.toHaveProperty('NOTIFY_SOCKET');
  });

  it.each([
    { rule: 'its own by number', env: { WATCHDOG_USEC: '9', WATCHDOG_PID: '7', NOTIFY_SOCKET: '/n' }, watchdog: '9' },
    { rule: 'its own without a number', env: { WATCHDOG_USEC: '9', NOTIFY_SOCKET: '/n' }, watchdog: '9' },
    {
      rule: 'of another process',
      env: { WATCHDOG_USEC: '9', WATCHDOG_PID: '8', NOTIFY_SOCKET: '/n' },
      watchdog: undefined,
    },
    { rule: 'without a socket', env: { WATCHDOG_USEC: '9' }, watchdog: undefined },
  ])("has the launcher's watchdog, if it is $rule", ({ env, watchdog }) => {
    const { WATCHDOG_USEC, WATCHDOG_PID } = agentEnvironment(env, { pid: 7 });
    expect({ WATCHDOG_USEC, WATCHDOG_PID }).toEqual({ WATCHDOG_USEC: watchdog, WATCHDOG_PID: undefined });
  });

  it.each([
    { cores: 1, arenas: 2 },
    { cores: 2, arenas: 2 },
    { cores: 64, arenas: 64 },
  ])('returns large buffers to the kernel, with an arena for each core: $arenas with $cores', ({ cores, arenas }) => {
    expect(agentEnvironment({}, { cores })).toEqual({
      GLIBC_TUNABLES: `glibc.malloc.mmap_threshold=524288:glibc.malloc.trim_threshold=1048576:glibc.malloc.arena_max=${arenas}`,
    });
  });

  it('keeps values that the user has set', () => {
    expect(agentEnvironment({ GLIBC_TUNABLES: 'glibc.malloc.arena_max=2' })).toEqual({
      GLIBC_TUNABLES: 'glibc.malloc.arena_max=2',
    });
  });
});
