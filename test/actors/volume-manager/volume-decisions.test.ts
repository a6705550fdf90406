import { describe, expect, it } from 'vitest';
import { VolumeDecisions, type VolumeEffect } from '../../../actors/volume-manager/volume-decisions.ts';
import type { VolumeOutcome } from '../../../src/volumes/disk/set-up-volume.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { PodVolumes, VolumePlan } from '../../../src/volumes/plan/volume-plan.ts';

const uid = podUid('uid-1');
const map = (name: string, object = name): VolumePlan => ({
  type: 'files',
  name,
  plugin: 'configmap',
  defaultMode: 0o644,
  sources: [{ type: 'object', ref: { kind: 'ConfigMap', namespace: 'shop', name: object }, optional: false }],
});
const scratch: VolumePlan = { type: 'empty-dir', name: 'scratch', medium: 'disk' };
const wanting = (...volumes: readonly VolumePlan[]): PodVolumes => ({
  podUid: uid,
  namespace: 'shop',
  podName: 'web',
  volumes,
  fsGroupChangePolicy: 'Always',
});
const OK = { ok: true } as const;
const bad = { ok: false, message: 'configmap "a" not found' } as const;
/** Fetched content is checked again a minute later. */
const at = (now: number) => ({ now, refreshAt: now + 60_000 });
const brief = (effects: readonly VolumeEffect[]): readonly string[] =>
  effects.map((effect) => {
    if (effect.type === 'set-up') return `set-up ${effect.plan.name}`;
    return effect.type === 'check-again' ? `check-again at ${effect.at}` : effect.type;
  });

describe('the volumes of a pod', () => {
  it('are set up together, and are ready with the last one', () => {
    const state = new VolumeDecisions();
    expect(brief(state.want(uid, wanting(map('a'), scratch), 0))).toEqual(['set-up a', 'set-up scratch']);
    expect(brief(state.setUp(uid, { name: 'scratch', outcome: OK }, at(1)))).toEqual([]);
    expect(state.isMounted(uid)).toBe(false);
    expect(brief(state.setUp(uid, { name: 'a', outcome: OK }, at(2)))[0]).toBe('all-mounted');
    expect(state.isMounted(uid)).toBe(true);
  });

  it("that are devices fail with the kubelet's text for devices", () => {
    const state = new VolumeDecisions();
    const claim = { type: 'claim', name: 'a', claim: 'c', ephemeral: false, readOnly: false } as const;
    state.want(uid, wanting({ ...claim, asDevice: true, serviceAccount: 'default' }), 0);
    expect(state.setUp(uid, { name: 'a', outcome: bad }, at(0))[0]).toEqual({
      type: 'failed',
      podUid: uid,
      reason: 'FailedMapVolume',
      message: 'MapVolume.MapPodDevice failed for volume "a" : configmap "a" not found',
    });
  });

  it('that are devices are reported once', () => {
    const state = new VolumeDecisions();
    const claim = { type: 'claim', name: 'a', claim: 'c', ephemeral: false, readOnly: false } as const;
    state.want(uid, wanting({ ...claim, asDevice: true, serviceAccount: 'default' }), 0);
    const noted = { type: 'noted', podUid: uid, reason: 'SuccessfulMountVolume' } as const;
    const message = 'MapVolume.MapPodDevice succeeded for volume "a"';
    expect(state.setUp(uid, { name: 'a', outcome: OK }, at(0))[0]).toEqual({ ...noted, message });
    expect(state.setUp(uid, { name: 'a', outcome: OK }, at(1))).toEqual([]);
  });

  it.each<{ end: string; outcome: VolumeOutcome; told: object }>([
    {
      end: 'have grown',
      outcome: { ok: true, grown: true },
      told: { type: 'noted', reason: 'FileSystemResizeSuccessful' },
    },
    {
      end: 'cannot grow',
      outcome: { ok: false, growing: true, message: 'no room' },
      told: { type: 'failed', reason: 'FileSystemResizeFailed' },
    },
  ])('that $end are reported accordingly', ({ outcome, told }) => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    expect(state.setUp(uid, { name: 'a', outcome }, at(0))[0]).toMatchObject(told);
  });

  it('are retried with a back-off, and report the problem each time', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    const waits: number[] = [];
    for (let now = 0, turn = 0; turn < 10; turn += 1) {
      const effects = state.setUp(uid, { name: 'a', outcome: bad }, at(now));
      expect(effects[0]).toEqual({
        type: 'failed',
        podUid: uid,
        reason: 'FailedMount',
        message: 'MountVolume.SetUp failed for volume "a" : configmap "a" not found',
      });
      const again = effects[1];
      if (again?.type !== 'check-again') throw new Error('not tried again');
      waits.push(again.at - now);
      expect(brief(state.due(uid, again.at - 1))).toEqual([`check-again at ${again.at}`]);
      now = again.at;
      expect(brief(state.due(uid, now))).toEqual(['set-up a']);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000]);
  });

  it('are retried at once when a missing object appears', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    state.setUp(uid, { name: 'a', outcome: bad }, at(0));
    expect(brief(state.objectsChanged(['ConfigMap/shop/other'], 10))).toEqual([]);
    expect(brief(state.objectsChanged(['ConfigMap/shop/a'], 10))).toEqual(['set-up a']);
  });

  it('are written once more after a thousand changes in the middle of a write', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    for (let change = 0; change < 1_000; change += 1) expect(state.objectsChanged(['ConfigMap/shop/a'], 1)).toEqual([]);
    expect(brief(state.setUp(uid, { name: 'a', outcome: OK }, at(2)))).toEqual(['all-mounted', 'set-up a']);
    expect(brief(state.setUp(uid, { name: 'a', outcome: OK }, at(3)))).toEqual(['check-again at 60003']);
  });

  it('stay mounted while their content cannot be renewed', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    state.setUp(uid, { name: 'a', outcome: OK }, at(0));
    expect(brief(state.objectsChanged('any', 1))).toEqual(['set-up a']);
    expect(brief(state.setUp(uid, { name: 'a', outcome: bad }, at(1)))).toEqual(['failed', 'check-again at 501']);
    expect(state.isMounted(uid)).toBe(true);
  });

  it('are checked again after the sync period, and written only if they differ', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a'), scratch), 0);
    state.setUp(uid, { name: 'scratch', outcome: OK }, at(0));
    expect(brief(state.setUp(uid, { name: 'a', outcome: OK, version: 'v1' }, at(0)))).toEqual([
      'all-mounted',
      'check-again at 60000',
    ]);
    expect(state.due(uid, 60_000)).toEqual([expect.objectContaining({ type: 'set-up', written: 'v1' })]);
  });

  it('are checked again when the pod asks again: files are renewed, the rest stays', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a'), scratch), 0);
    state.setUp(uid, { name: 'a', outcome: OK }, at(0));
    state.setUp(uid, { name: 'scratch', outcome: OK }, at(0));
    expect(brief(state.want(uid, wanting(map('a'), scratch), 1))).toEqual(['set-up a']);
  });

  it('are published again at intervals and on request if their driver requires it, and stay mounted', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(scratch), 0);
    const outcome = { ok: true, refresh: true } as const;
    expect(brief(state.setUp(uid, { name: 'scratch', outcome }, at(0)))).toEqual([
      'all-mounted',
      'check-again at 60000',
    ]);
    expect(brief(state.due(uid, 60_000))).toEqual(['set-up scratch']);
    expect(brief(state.setUp(uid, { name: 'scratch', outcome: bad }, at(60_000)))).toEqual([
      'failed',
      'check-again at 60500',
    ]);
    expect(state.isMounted(uid)).toBe(true);
    state.due(uid, 60_500);
    state.setUp(uid, { name: 'scratch', outcome }, at(60_500));
    expect(brief(state.want(uid, wanting(scratch), 61_000))).toEqual(['set-up scratch']);
  });

  it('are unmounted only when no operation is under way', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a'), scratch), 0);
    expect(brief(state.leave(uid, 1))).toEqual([]);
    expect(brief(state.setUp(uid, { name: 'a', outcome: OK }, at(2)))).toEqual([]);
    expect(brief(state.setUp(uid, { name: 'scratch', outcome: bad }, at(3)))).toEqual(['tear-down']);
    expect(brief(state.leave(uid, 4))).toEqual([]);
    expect(brief(state.tornDown(uid, OK, 5))).toEqual(['torn-down']);
    expect([...state.podUids]).toEqual([]);
  });

  it('are set up again after their removal, if they are wanted again by then', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(scratch), 0);
    state.setUp(uid, { name: 'scratch', outcome: OK }, at(0));
    expect(brief(state.leave(uid, 1))).toEqual(['tear-down']);
    expect(brief(state.want(uid, wanting(scratch), 2))).toEqual([]);
    expect(state.isMounted(uid)).toBe(false);
    expect(brief(state.tornDown(uid, OK, 3))).toEqual(['torn-down', 'set-up scratch']);
  });

  it('that are unknown are still unmounted', () => {
    expect(brief(new VolumeDecisions().leave(uid, 0))).toEqual(['tear-down']);
  });

  it('are named when the wait for them times out', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('b'), map('a'), scratch), 0);
    state.setUp(uid, { name: 'scratch', outcome: OK }, at(0));
    expect(state.notMounted(uid)).toBe(
      'unmounted volumes=[a b], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
  });

  it('that depend on other components are not awaited, and are named with the reason', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(scratch, map('a'), map('b')), 0);
    const unbound = { ok: false, lacks: 'claim', message: 'error processing PVC shop/c: PVC is not bound' } as const;
    const away = { ok: false, lacks: 'attachment', message: 'volume pv is not attached yet' } as const;
    expect(brief(state.setUp(uid, { name: 'a', outcome: away }, at(0)))).toEqual(['failed', 'check-again at 500']);
    expect(state.setUp(uid, { name: 'scratch', outcome: unbound }, at(0))).toContainEqual({
      type: 'wait-failed',
      podUid: uid,
      message:
        'unmounted volumes=[a b scratch], unattached volumes=[a], failed to process volumes=[scratch]: error processing PVC shop/c: PVC is not bound',
    });
    state.due(uid, 500);
    expect(brief(state.setUp(uid, { name: 'scratch', outcome: OK }, at(500)))).not.toContain('wait-failed');
  });

  it('of other pods are not affected by a change', () => {
    const state = new VolumeDecisions();
    state.want(uid, wanting(map('a')), 0);
    state.setUp(uid, { name: 'a', outcome: OK }, at(0));
    state.want(podUid('uid-2'), { ...wanting(map('a', 'other')), podUid: 'uid-2' }, 0);
    expect(brief(state.objectsChanged(['ConfigMap/shop/a'], 1))).toEqual(['set-up a']);
    state.setUp(uid, { name: 'a', outcome: OK }, at(1));
    state.leave(uid, 2);
    state.tornDown(uid, OK, 2);
    expect(state.objectsChanged(['ConfigMap/shop/a'], 3)).toEqual([]);
  });
});
