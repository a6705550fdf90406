import { describe, expect, it } from 'vitest';
import { problemsOf } from './judge-scenario.ts';
import { playScenario } from './lifecycle-node.ts';
import { openScenarios } from './open-scenarios.ts';
import { scenarios } from './scenario.ts';

describe("a pod's life is as recorded of a kubelet", () => {
  it.each(scenarios.filter(({ name }) => !openScenarios.has(name)))('$topic: $name', async (scenario) => {
    expect(problemsOf(scenario, await playScenario(scenario))).toEqual([]);
  });
});

describe('what is still open', () => {
  it.each(scenarios.filter(({ name }) => openScenarios.has(name)))('is open indeed: $name', async (scenario) => {
    expect(problemsOf(scenario, await playScenario(scenario))).not.toEqual([]);
  });

  it('is one of the recordings', () => {
    const names = new Set(scenarios.map(({ name }) => name));
    expect([...openScenarios].filter((name) => !names.has(name))).toEqual([]);
  });
});
