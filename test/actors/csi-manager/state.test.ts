import { describe, expect, it } from 'vitest';
import { Leftovers } from '../../../actors/csi-manager/leftovers.ts';
import { driverNamed, pluginJudged, type Plugins, socketsSeen, waitMs } from '../../../actors/csi-manager/state.ts';
import { VolumeUsers } from '../../../actors/csi-manager/volume-users.ts';

const none: Plugins = new Map();
const driver = { name: 'disks.test', endpoint: '/csi.sock' };
const sockets = (...names: readonly (readonly [string, string])[]) => new Map(names);

function registered(): Plugins {
  const seen = socketsSeen(none, sockets(['/a', '1']), 0).plugins;
  return pluginJudged(seen, { socket: '/a', version: '1', driver }, 0);
}

describe('the plugins of a node', () => {
  it('are asked once when their socket appears', () => {
    const first = socketsSeen(none, sockets(['/a', '1']), 0);
    expect(first.effects).toEqual([{ type: 'register', socket: '/a', version: '1' }]);
    expect(socketsSeen(first.plugins, sockets(['/a', '1']), 1).effects).toEqual([]);
    expect(driverNamed(first.plugins, 'disks.test')).toBeUndefined();
  });

  it('are available once they are registered', () => {
    expect(driverNamed(registered(), 'disks.test')).toEqual(driver);
    expect(socketsSeen(registered(), sockets(['/a', '1']), 0).effects).toEqual([]);
  });

  it('that did not answer are asked again after the back-off', () => {
    const asked = socketsSeen(none, sockets(['/a', '1']), 0).plugins;
    const failed = pluginJudged(asked, { socket: '/a', version: '1', driver: undefined }, 1_000);
    expect(socketsSeen(failed, sockets(['/a', '1']), 1_499).effects).toEqual([]);
    const again = socketsSeen(failed, sockets(['/a', '1']), 1_500);
    expect(again.effects).toEqual([{ type: 'register', socket: '/a', version: '1' }]);
    const twice = pluginJudged(again.plugins, { socket: '/a', version: '1', driver: undefined }, 2_000);
    expect(socketsSeen(twice, sockets(['/a', '1']), 2_999).effects).toEqual([]);
    expect(socketsSeen(twice, sockets(['/a', '1']), 3_000).effects).toHaveLength(1);
  });

  it.each([
    [0, 500],
    [1, 1_000],
    [7, 64_000],
    [8, 120_000],
    [50, 120_000],
  ])('after %d more failures the back-off is %d ms', (failures, wait) => {
    expect(waitMs(failures)).toBe(wait);
  });

  it('with a new socket are queried again, and stay registered until the answer', () => {
    const { plugins, effects } = socketsSeen(registered(), sockets(['/a', '2']), 0);
    expect(effects).toEqual([{ type: 'register', socket: '/a', version: '2' }]);
    expect(driverNamed(plugins, 'disks.test')).toEqual(driver);
  });

  it('are forgotten with their socket', () => {
    const { plugins, effects } = socketsSeen(registered(), sockets(), 0);
    expect(effects).toEqual([{ type: 'forget', driver }]);
    expect(driverNamed(plugins, 'disks.test')).toBeUndefined();
  });

  it('a late answer does not count for a later question', () => {
    const plugins = socketsSeen(registered(), sockets(['/a', '2']), 0).plugins;
    expect(pluginJudged(plugins, { socket: '/a', version: '1', driver: undefined }, 0)).toBe(plugins);
    expect(pluginJudged(none, { socket: '/a', version: '1', driver }, 0)).toBe(none);
  });
});

describe('the pods that use a volume', () => {
  const volume = { driver: 'd', handle: 'h' };

  it('are the pods with the volume on disk; others are forgotten', () => {
    const users = new VolumeUsers();
    const onDisk = new Set(['a', 'b']);
    const hasIt = ({ podUid }: { readonly podUid: string }): boolean => onDisk.has(podUid);
    for (const podUid of ['x', 'a', 'b', 'b']) users.add(volume, { podUid, specName: 'v' });
    expect(users.isUsedByOthers(volume, { podUid: 'a' }, hasIt)).toBe(true);
    onDisk.delete('a');
    expect(users.isUsed(volume, hasIt)).toBe(true);
    expect(users.isUsedByOthers(volume, { podUid: 'b' }, hasIt)).toBe(false);
    onDisk.delete('b');
    expect(users.isUsed(volume, hasIt)).toBe(false);
    expect(users.isUsed(volume, () => true)).toBe(false);
  });
});

describe('a leftover on a node', () => {
  const volume = { driver: 'd', handle: 'h' };

  it('is removed at once when found, retried later after a failure, and never after a success', () => {
    const leftovers = new Leftovers();
    leftovers.found(volume);
    expect(leftovers.due(0)).toEqual([volume]);
    expect(leftovers.failed(volume, 0)).toBe(true);
    expect(leftovers.due(499)).toEqual([]);
    expect(leftovers.due(500)).toEqual([volume]);
    expect(leftovers.failed(volume, 500)).toBe(false);
    expect(leftovers.due(1_499)).toEqual([]);
    leftovers.done(volume);
    expect(leftovers.due(1_000_000)).toEqual([]);
  });
});
