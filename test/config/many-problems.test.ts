import { expect, it } from 'vitest';
import { MOST_PROBLEMS } from '../../src/config/check/validate-config.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';

it('a configuration with thousands of invalid values is rejected with the first of its problems', async () => {
  const evictionHard = Object.fromEntries(Array.from({ length: 4_000 }, (_, each) => [`key-${each}`, 'x']));
  const text = JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    evictionHard,
  });
  const files = { readFile: () => Promise.resolve(text), listFilesBelow: () => Promise.resolve([]) };
  const loaded = await loadConfiguration({ flags: { config: '/kubelet.yaml' }, files });
  expect(loaded.ok).toBe(false);
  expect(loaded.ok ? [] : loaded.problems).toHaveLength(MOST_PROBLEMS);
});
