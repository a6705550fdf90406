import { describe, expect, it } from 'vitest';
import { prepareHost } from '../../src/agent/prepare-host.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';
import { UnsuitableHost } from '../../src/host/unsuitable-host.ts';

/** An agent without an API server, whose daemons' cgroup gets half a CPU. */
const settings = {
  config: {
    enforceNodeAllocatable: ['pods', 'system-reserved'],
    systemReservedCgroup: '/daemons',
    kubeReservedCgroup: '',
    systemReserved: { cpu: '500m' },
    kubeReserved: {},
    protectKernelDefaults: true,
  },
} as unknown as AgentSettings;

async function prepared(there: boolean) {
  const done: string[] = [];
  const say = (_: object, text: string): void => void done.push(text);
  const cgroups = { exists: () => there, set: (path: string) => void done.push(`set ${path}`) };
  await prepareHost(settings, { cgroups, log: { info: say, warn: say } });
  return done;
}

describe('a host that becomes a node', () => {
  it('limits daemons to their reservations, and changes no kernel parameter without a cluster', async () => {
    expect(await prepared(true)).toEqual(['set /daemons', 'Updated limits on System reserved cgroup /daemons']);
  });

  it('is rejected when it lacks what the configuration requires', async () => {
    await expect(prepared(false)).rejects.toThrow(
      new UnsuitableHost('Failed to enforce System Reserved Cgroup Limits on "/daemons": the cgroup does not exist'),
    );
  });
});
