import { describe, expect, it } from 'vitest';
import { prepareHost } from '../../src/agent/prepare-host.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';
import { HostUnfit } from '../../src/host/host-unfit.ts';

/** An agent without an API server, whose daemons' cgroup is to be held to half a CPU. */
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

describe('a host that is to be a node', () => {
  it('has its daemons held to what is reserved for them, and its kernel left alone where there is no cluster', async () => {
    expect(await prepared(true)).toEqual(['set /daemons', 'Updated limits on System reserved cgroup /daemons']);
  });

  it('is refused where it lacks what the configuration names', async () => {
    await expect(prepared(false)).rejects.toThrow(
      new HostUnfit('Failed to enforce System Reserved Cgroup Limits on "/daemons": the cgroup does not exist'),
    );
  });
});
