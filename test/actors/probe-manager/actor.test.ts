import { describe, expect, it } from 'vitest';
import { podUid } from '../../../src/kube/ids.ts';
import { BORN, probed, probeManager, spec } from './manager-support.ts';

describe('the probe manager', () => {
  it('runs the readiness probe of a new container at once, and then every period', async () => {
    const { watch, runs, verdicts, pass } = await probeManager();
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    expect(runs()).toEqual(['readiness a']);
    expect(verdicts()).toEqual(['readiness a success']);
    await pass(20_000);
    expect(runs()).toEqual(['readiness a', 'readiness a']);
    expect(verdicts()).toEqual([]);
  });

  it('runs the startup probe alone until it has succeeded', async () => {
    const { watch, runs, verdicts, pass, answers } = await probeManager({ startup: 'failure' });
    await watch(probed('a', [spec('startup', { periodSeconds: 1 }), spec('liveness'), spec('readiness')]));
    await pass(2_000);
    expect(runs()).toEqual(['startup a', 'startup a']);
    answers['startup'] = 'success';
    await pass(1_020);
    expect(runs()).toEqual(['startup a', 'liveness a', 'readiness a']);
    expect(verdicts()).toEqual(['startup a success', 'readiness a success']);
    await pass(10_000);
    expect(runs()).toEqual(['liveness a', 'readiness a']);
  });

  it('stops probing after a failed startup or liveness probe, until there is a new instance', async () => {
    const { watch, runs, verdicts, pass } = await probeManager({ liveness: 'failure' });
    await watch(probed('a', [spec('liveness', { failureThreshold: 1 })]));
    await pass(60_000);
    expect(runs()).toEqual(['liveness a']);
    expect(verdicts()).toEqual(['liveness a failure']);
    await watch(probed('b', [spec('liveness', { failureThreshold: 1 })], { startedAt: BORN + 60_000 }));
    await pass(10_000);
    expect(runs()).toEqual(['liveness b']);
    expect(verdicts()).toEqual(['liveness b failure']);
  });

  it('tries a probe that cannot run three times, and draws no conclusion', async () => {
    const { watch, runs, verdicts, events, pass } = await probeManager({ liveness: 'error' });
    await watch(probed('a', [spec('liveness', { failureThreshold: 1 })]));
    await pass(10_000);
    expect(runs()).toHaveLength(3);
    expect(events()).toEqual(['Unhealthy: Liveness probe errored and resulted in unknown state: as it is']);
    expect(verdicts()).toEqual([]);
  });

  it('reports nothing about a container while the runtime does not answer', async () => {
    const { watch, runs, verdicts, events, pass } = await probeManager({ readiness: 'unheard' });
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    expect([runs(), events(), verdicts()]).toEqual([['readiness a'], [], []]);
  });

  it.each([
    { result: 'failure', event: ['Unhealthy: Readiness probe failed: as it is'] },
    { result: 'warning', event: ['ProbeWarning: Readiness probe warning: as it is'] },
    { result: 'success', event: [] },
  ] as const)('records an event for a $result', async ({ result, event }) => {
    const { watch, events, pass } = await probeManager({ readiness: result });
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    expect(events()).toEqual(event);
  });

  it('never runs a probe twice at once, and skips missed runs', async () => {
    const { watch, runs, hanging, pass, answers } = await probeManager({ readiness: 'hangs' });
    await watch(probed('a', [spec('readiness', { periodSeconds: 1 })]));
    await pass(10_000);
    expect(runs()).toHaveLength(1);
    answers['readiness'] = 'success';
    hanging[0]?.({ result: 'success', output: '' });
    await pass(20);
    expect(runs()).toHaveLength(1);
    await pass(2_000);
    expect(runs()).toHaveLength(2);
  });

  it('ignores a late result', async () => {
    const { watch, hanging, verdicts, pass, clock } = await probeManager({ readiness: 'hangs' });
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    await watch();
    hanging[0]?.({ result: 'success', output: '' });
    await pass(60_000);
    expect(verdicts()).toEqual([]);
    expect(clock.armed).toBe(0);
  });

  it('continues with readiness alone when only readiness is requested', async () => {
    const { watch, runs, pass } = await probeManager();
    await watch(probed('a', [spec('liveness'), spec('readiness')]));
    await pass(20);
    runs();
    await watch(probed('a', [spec('readiness')]));
    await pass(20_000);
    expect(runs()).toEqual(['readiness a', 'readiness a']);
  });

  it('uses a new definition for the same instance, and keeps its verdicts', async () => {
    const { watch, runs, verdicts, pass } = await probeManager();
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    runs();
    verdicts();
    await watch(probed('a', [spec('readiness', { target: { type: 'exec', command: ['other'] } })]));
    await pass(10_000);
    expect(runs()).toEqual(['other a']);
    expect(verdicts()).toEqual(['readiness a success']);
  });

  it('forgets a pod with all its timers', async () => {
    const { watch, forget, runs, pass, clock } = await probeManager();
    await watch(probed('a', [spec('liveness'), spec('readiness')]));
    await pass(20);
    runs();
    await forget();
    await pass(60_000);
    expect(runs()).toEqual([]);
    expect(clock.armed).toBe(0);
  });
});

describe('a pod manager that has finished its survey', () => {
  it('has all other pods forgotten', async () => {
    const { watch, tell, runs, pass } = await probeManager();
    await watch(probed('a', [spec('readiness')]));
    await tell({ type: 'forget-others', kept: new Set([podUid('uid-1')]) });
    await pass(20);
    expect(runs()).toHaveLength(1);
    await tell({ type: 'forget-others', kept: new Set() });
    await pass(60_000);
    expect(runs()).toEqual([]);
  });
});

describe('a known verdict', () => {
  it('is on disk before the worker receives it', async () => {
    const { watch, files, pass } = await probeManager();
    await watch(probed('a', [spec('readiness')]));
    await pass(20);
    expect(files.files.get('/root/pods/uid-1/probe-results.json')?.text).toBe('{"a":{"readiness":"success"}}');
  });

  it.each([
    { what: 'ready', text: '{"a":{"readiness":"success"}}', verdicts: ['readiness a success'] },
    { what: 'not ready', text: '{"a":{"readiness":"failure"}}', verdicts: [] },
    { what: 'of another instance', text: '{"b":{"readiness":"success"}}', verdicts: [] },
    { what: 'broken', text: '{"a":{"read', verdicts: [] },
    { what: 'nonsense', text: '{"a":{"readiness":"maybe"}}', verdicts: [] },
  ])('survives a restart of the agent: $what', async ({ text, verdicts }) => {
    const { watch, files, verdicts: told } = await probeManager();
    files.files.set('/root/pods/uid-1/probe-results.json', { text, mode: 0o600 });
    await watch(probed('a', [spec('readiness')], { startedAt: BORN - 60_000 }));
    expect(told()).toEqual(verdicts);
  });

  it("overrides the API's status: an unready container does not become ready", async () => {
    const { watch, files, verdicts } = await probeManager();
    files.files.set('/root/pods/uid-1/probe-results.json', { text: '{"a":{"readiness":"failure"}}', mode: 0o600 });
    await watch(probed('a', [spec('readiness')], { startedAt: BORN - 60_000, verdicts: { readiness: 'success' } }));
    expect(verdicts()).toEqual(['readiness a failure']);
  });

  it('is sent to a restarted worker, from memory or from disk', async () => {
    const { watch, results, files, pass } = await probeManager();
    files.files.set('/root/pods/uid-1/probe-results.json', { text: '{"a":{"startup":"success"}}', mode: 0o600 });
    expect(await results()).toEqual(new Map([['a', { startup: 'success' }]]));
    await watch(probed('b', [spec('readiness')]));
    await pass(20);
    expect(await results()).toEqual(new Map([['b', { readiness: 'success' }]]));
  });

  it('is restored from the workers after a crash, and a started container is not probed for startup again', async () => {
    const { crash, watch, runs, take, pass } = await probeManager();
    await watch(probed('a', [spec('startup'), spec('readiness')]));
    take('pod-worker/uid-1');
    await crash();
    await pass(1_000);
    expect(take('pod-worker/uid-1')).toContainEqual({ type: 'report-probes' });
    runs();
    const verdicts = { startup: 'success', readiness: 'success' } as const;
    await watch(probed('a', [spec('startup'), spec('readiness')], { verdicts }));
    await pass(20_000);
    expect(new Set(runs())).toEqual(new Set(['readiness a']));
  });
});

describe('its metrics', () => {
  it('count each run by its result, and the duration of answers', async () => {
    const { watch, pass, families, answers, forget } = await probeManager();
    await watch(probed('a', [spec('readiness')]));
    await pass(10_000);
    answers['readiness'] = 'failure';
    await pass(10_000);
    const labels = 'container="main",pod="web",namespace="shop"';
    const text = families.text();
    expect(text).toContain(
      `prober_probe_total{probe_type="Readiness",result="successful",${labels},pod_uid="uid-1"} 2`,
    );
    expect(text).toContain(`prober_probe_total{probe_type="Readiness",result="failed",${labels},pod_uid="uid-1"} 1`);
    expect(text).toContain(`prober_probe_duration_seconds_count{probe_type="Readiness",${labels}} 3`);
    await forget();
    expect(families.text()).not.toContain('prober_probe_total{');
  });
});
