import { describe, expect, it } from 'vitest';
import { mayUpgrade } from '../../../src/serving/streams/may-upgrade.ts';
import type { ServerSwitches } from '../../../src/serving/endpoints.ts';

const all: ServerSwitches = {
  debuggingHandlers: true,
  systemLogHandler: true,
  profilingHandler: true,
  debugFlagsHandler: true,
  containerCheckpoint: true,
  statusz: true,
  flagz: true,
  fineGrainedAuthorization: true,
};
const EXEC = '/exec/a/web/main?command=ls';

describe('a request that asks for an upgrade', () => {
  it.each([
    { rule: 'becomes a stream: exec', url: EXEC, upgrade: 'SPDY/3.1', may: true },
    { rule: 'becomes a stream: attach', url: '/attach/a/web/u1/main', upgrade: 'websocket', may: true },
    { rule: 'becomes a stream: port-forward', url: '/portForward/a/web', upgrade: 'WebSocket', may: true },
    { rule: 'becomes a stream for one of several protocols', url: EXEC, upgrade: 'h2c, spdy/3.1', may: true },
    { rule: 'is plain for another protocol', url: EXEC, upgrade: 'h2c', may: false },
    { rule: 'is plain for a protocol with the same prefix', url: EXEC, upgrade: 'websocket-2', may: false },
    { rule: 'is plain without a protocol', url: EXEC, upgrade: undefined, may: false },
    { rule: 'is plain with another method', url: EXEC, upgrade: 'SPDY/3.1', method: 'PUT', may: false },
    { rule: 'is plain for a command that is run', url: '/run/a/web/main?cmd=ls', upgrade: 'SPDY/3.1', may: false },
    { rule: 'is plain for a checkpoint', url: '/checkpoint/a/web/main?input=1', upgrade: 'SPDY/3.1', may: false },
    { rule: 'is plain for pods', url: '/pods', upgrade: 'websocket', may: false },
    { rule: 'is plain for an unknown path', url: '/exec', upgrade: 'websocket', may: false },
    {
      rule: 'is plain for a target that is too long',
      url: `${EXEC}${'a'.repeat(9_000)}`,
      upgrade: 'websocket',
      may: false,
    },
  ])('$rule', ({ url, upgrade, method = 'POST', may }) => {
    expect(mayUpgrade({ method, url, headers: upgrade === undefined ? {} : { upgrade } }, all)).toBe(may);
  });

  it('is plain while debugging endpoints are off', () => {
    const switches = { ...all, debuggingHandlers: false };
    expect(mayUpgrade({ method: 'POST', url: EXEC, headers: { upgrade: 'SPDY/3.1' } }, switches)).toBe(false);
  });
});
