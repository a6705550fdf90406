import { describe, expect, it } from 'vitest';
import { problemsOf } from './judge-scenario.ts';
import { playScenario } from './lifecycle-node.ts';
import { openScenarios } from './open-scenarios.ts';
import { scenarios } from './scenario.ts';

describe("a pod's life matches a recorded kubelet", () => {
  it.each(scenarios.filter(({ name }) => !openScenarios.has(name)))('$topic: $name', async (scenario) => {
    expect(problemsOf(scenario, await playScenario(scenario))).toEqual([]);
  });
});

describe('a scenario in the list of open scenarios', () => {
  it.each(scenarios.filter(({ name }) => openScenarios.has(name)))('still differs: $name', async (scenario) => {
    expect(problemsOf(scenario, await playScenario(scenario))).not.toEqual([]);
  });

  it('is a recorded scenario', () => {
    const names = new Set(scenarios.map(({ name }) => name));
    expect([...openScenarios].filter((name) => !names.has(name))).toEqual([]);
  });
});
