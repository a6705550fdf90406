import { describe, expect, it } from 'vitest';
import { agentSettings, configured } from '../../../src/cli/run/agent-settings.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import type { FlagValues } from '../../../src/config/flags/parse-flags.ts';

const BY_ITSELF = { authentication: { webhook: { enabled: false } }, authorization: { mode: 'AlwaysAllow' } };

/** Settings of an agent with these flags, and with an optional file of these fields. */
async function settingsOf({ flags = {}, file }: { readonly flags?: FlagValues; readonly file?: object }) {
  const text = JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...file });
  const loaded = await loadConfiguration({
    flags: { ...flags, ...(file !== undefined && { config: '/kubelet.yaml' }) },
    files: { readFile: () => Promise.resolve(text), listFilesBelow: () => Promise.resolve([]) },
  });
  const log = { verbosity: 0, format: 'json', destination: 'stderr' } as const;
  const run = { profile: 'standard', faultInjection: false, memoryLimit: { type: 'auto' }, log, flags: {} } as const;
  return agentSettings(configured(loaded), run, { name: 'node', machineBytes: 16 * 2 ** 30, cgroupBytes: undefined });
}

describe('the server of a node without an API server', () => {
  it.each([
    { rule: 'is not there by default', given: {}, serves: undefined },
    { rule: 'is off for a file without enableServer', given: { file: BY_ITSELF }, serves: undefined },
    {
      rule: 'is on for a file with enableServer',
      given: { file: { ...BY_ITSELF, enableServer: true } },
      serves: true,
    },
    { rule: 'is on for the flag --enable-server', given: { flags: { 'enable-server': 'true' } }, serves: true },
    {
      rule: 'is on for a read-only port alone',
      given: { file: { enableServer: false, readOnlyPort: 10_255 } },
      serves: true,
    },
  ])('$rule', async ({ given, serves }) => {
    expect((await settingsOf(given)).serves).toBe(serves);
  });

  it.each([
    { rule: 'by default', file: { enableServer: true } },
    { rule: 'token reviews', file: { enableServer: true, authorization: { mode: 'AlwaysAllow' } } },
    {
      rule: 'access reviews',
      file: { enableServer: true, authentication: { webhook: { enabled: false } } },
    },
  ])('is refused where an API server would have to be asked $rule', async ({ file }) => {
    await expect(settingsOf({ file })).rejects.toThrow('cannot authorize requests through an API server');
  });

  it('may use webhooks in a cluster, where the server always runs', async () => {
    const settings = await settingsOf({ flags: { kubeconfig: '/kubeconfig' }, file: { enableServer: true } });
    expect(settings.api?.kubeconfig).toBe('/kubeconfig');
  });
});
