import { describe, expect, it } from 'vitest';
import { CsiManager } from '../../../actors/csi-manager/actor.ts';
import { KeyedWork } from '../../../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../../../actors/csi-manager/protocol.ts';
import { noStorageObjects } from '../../../actors/csi-manager/storage-objects.ts';
import type { HealthMonitorCommand } from '../../../actors/health-monitor/protocol.ts';
import type { CsiNode, CsiOutcome } from '../../../src/csi/csi-client.ts';
import type { NodeCapability } from '../../../src/csi/csi-volume.ts';
import { NodeGetInfoResponse } from '../../../src/csi/gen/csi.ts';
import { PluginInfo } from '../../../src/csi/gen/registration.ts';
import type { CsiPlan } from '../../../src/volumes/plan/volume-plan.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { MemoryCsiFiles } from '../../support/memory-csi-files.ts';

const DRIVER = 'disks.test';
const SOCKET = '/plugins/disks.sock';
const WORK = `reach the CSI driver ${DRIVER}`;
const ok = { ok: true, value: {} } as const;
const unavailable = { ok: false, code: 14, message: 'rpc error: code = Unavailable desc = no connection' } as const;
const internal = { ok: false, code: 13, message: 'rpc error: code = Internal desc = the disk is broken' } as const;
const never = new Promise<never>(() => {});

const scratch = (name: string): CsiPlan => ({
  type: 'csi',
  name,
  driver: DRIVER,
  fsType: '',
  readOnly: false,
  attributes: {},
  serviceAccount: 'default',
});

/** A driver whose calls the test answers. */
async function withDriver(announced: { readonly ok: boolean; readonly message: string } = { ok: true, message: '' }) {
  const driver = {
    info: Promise.resolve<CsiOutcome<NodeGetInfoResponse>>({
      ok: true,
      value: NodeGetInfoResponse.fromPartial({ nodeId: 'node-7' }),
    }),
    /** How each publication ends, by volume. */
    publish: (path: string): Promise<CsiOutcome<unknown>> => Promise.resolve(path === '' ? internal : ok),
    sockets: new Map([[SOCKET, '1']]),
    announced,
    lists: 0,
    listed: Promise.resolve(),
  };
  const node: CsiNode = {
    info: () => driver.info,
    capabilities: () => Promise.resolve({ ok: true, value: new Set<NodeCapability>() }),
    publish: ({ targetPath }) => driver.publish(targetPath),
    stage: () => Promise.resolve(ok),
    unstage: () => Promise.resolve(ok),
    unpublish: () => Promise.resolve(ok),
    expand: () => Promise.resolve(ok),
    stats: () => Promise.resolve(unavailable),
    close() {},
  };
  const actor = await actorUnderTest<CsiManagerProtocol>({
    address: 'csi-manager',
    make: (context) =>
      new CsiManager(context, {
        place: { rootDir: '/root', nodeName: 'node-a', files: new MemoryCsiFiles() },
        connections: () =>
          Promise.resolve({
            node: () => node,
            plugin: () => ({
              info: () =>
                Promise.resolve({
                  ok: true,
                  value: PluginInfo.fromPartial({
                    type: 'CSIPlugin',
                    name: DRIVER,
                    endpoint: SOCKET,
                    supportedVersions: ['1.0.0'],
                  }),
                }),
              notify: () => Promise.resolve(ok),
              close() {},
            }),
          }),
        objects: {
          ...noStorageObjects,
          driver: () => Promise.resolve({ ok: true, value: { attachRequired: false } }),
          announce: () =>
            Promise.resolve(
              driver.announced.ok ? { ok: true, value: undefined } : { ok: false, message: driver.announced.message },
            ),
        },
        token: () => Promise.resolve({ ok: false, message: 'no tokens here' }),
        sockets: () => {
          driver.lists += 1;
          return driver.listed.then(() => driver.sockets);
        },
        work: new KeyedWork(),
        inCluster: true,
      }),
    others: { 'node-status': () => undefined, 'health-monitor': () => undefined },
  });
  const mount = (podUid: string, name = 'scratch') =>
    actor.ask({
      type: 'set-up-volume',
      pod: { podUid, podName: 'web', namespace: 'shop', serviceAccount: 'default' },
      plan: scratch(name),
    });
  /** The failing duties that the health monitor knows, with their reasons. */
  const failing = (): Readonly<Record<string, string>> => {
    const known = new Map<string, string>();
    for (const { to, command } of actor.told) {
      if (to !== 'health-monitor') continue;
      // Only the health monitor's commands are sent to its address.
      const report = command as HealthMonitorCommand;
      if (report.type === 'duty-failing') known.set(report.duty.work, report.duty.why);
      else known.delete(report.work);
    }
    return Object.fromEntries(known);
  };
  const lines = () => actor.logged.filter((line) => /can(not)? reach the CSI driver/.test(line));
  return { ...actor, driver, mount, failing, lines };
}

describe('a driver whose call has no answer for 10 s', () => {
  it('is reported once with call and volume, and again when the call is answered', async () => {
    const { driver, mount, pass, failing, lines } = await withDriver();
    const answered = Promise.withResolvers<CsiOutcome<unknown>>();
    driver.publish = () => answered.promise;
    const mounted = mount('pod-a');
    await pass(9_000);
    expect(failing()).toEqual({});
    await pass(1_000);
    const [why = ''] = Object.values(failing());
    expect(failing()).toEqual({ [WORK]: why });
    expect(why).toMatch(/^NodePublishVolume of volume csi-[0-9a-f]+ has no answer yet$/);
    void mount('pod-b');
    await pass(60_000);
    expect(lines()).toEqual([`warn: cannot ${WORK} since 10s: ${why}; pods wait for its volumes; retrying`]);
    answered.resolve(ok);
    expect(await mounted).toMatchObject({ ok: true });
    expect(failing()).toEqual({});
    expect(lines().slice(1)).toEqual([`info: can ${WORK} again, after 70s`]);
  });

  it('stays reported while other volumes of the driver work', async () => {
    const { driver, mount, pass, failing, lines } = await withDriver();
    driver.publish = (path) => (path.includes('stuck') ? never : Promise.resolve(ok));
    void mount('pod-a', 'stuck');
    await pass(10_000);
    expect(await mount('pod-b', 'fine')).toMatchObject({ ok: true });
    await pass(60_000);
    expect(Object.keys(failing())).toEqual([WORK]);
    expect(lines()).toHaveLength(1);
  });

  it('stays reported when the call ends at its deadline, until a call for the same volume is answered', async () => {
    const { driver, mount, pass, failing } = await withDriver();
    let outcome: Promise<CsiOutcome<unknown>> = Promise.resolve(unavailable);
    driver.publish = (path) => (path.includes('stuck') ? outcome : Promise.resolve(ok));
    expect(await mount('pod-a', 'stuck')).toMatchObject({ ok: false });
    await pass(10_000);
    await mount('pod-b', 'fine');
    expect(Object.keys(failing())).toEqual([WORK]);
    outcome = Promise.resolve(ok);
    await mount('pod-a', 'stuck');
    expect(failing()).toEqual({});
  });

  it('is reported when the driver does not answer its registration', async () => {
    const { driver, pass, tell, failing } = await withDriver({ ok: false, message: 'forbidden' });
    driver.info = never;
    driver.sockets = new Map([[SOCKET, '2']]);
    await tell({ type: 'scan-due' });
    await pass(10_000);
    expect(failing()[WORK]).toBe('NodeGetInfo has no answer yet');
    expect(failing()['register CSI plugins']).toBe(`${SOCKET}: forbidden`);
  });

  it('is forgotten with its socket', async () => {
    const { driver, mount, pass, failing } = await withDriver();
    driver.publish = () => never;
    void mount('pod-a');
    await pass(10_000);
    expect(Object.keys(failing())).toEqual([WORK]);
    driver.sockets = new Map();
    await pass(1_000);
    expect(failing()).toEqual({});
    await pass(60_000);
    expect(failing()).toEqual({});
  });
});

describe('a driver that answers', () => {
  it('is reached although it refuses: the event of the pod has the reason', async () => {
    const { driver, mount, pass, failing } = await withDriver();
    driver.publish = () => Promise.resolve(internal);
    expect(await mount('pod-a')).toMatchObject({ ok: false, message: internal.message });
    await pass(60_000);
    expect(failing()).toEqual({});
  });
});

describe('a plugin that cannot be registered', () => {
  it('is a failing duty until it is registered', async () => {
    const { driver, pass, failing, logged } = await withDriver({ ok: false, message: 'csinodes is forbidden' });
    await pass(10_000);
    expect(failing()).toEqual({ 'register CSI plugins': `${SOCKET}: csinodes is forbidden` });
    driver.announced = { ok: true, message: '' };
    await pass(20_000);
    expect(failing()).toEqual({});
    expect(logged.filter((line) => line.includes('could not be registered'))).toHaveLength(1);
  });

  it('is no trouble any more when its socket is gone', async () => {
    const { driver, pass, failing } = await withDriver({ ok: false, message: 'csinodes is forbidden' });
    await pass(10_000);
    driver.sockets = new Map();
    await pass(1_000);
    expect(failing()).toEqual({});
  });
});

describe('a plugin folder whose disk does not answer', () => {
  it('is a failing duty, and is not listed again meanwhile', async () => {
    const { driver, pass, failing, logged } = await withDriver();
    const { promise, resolve } = Promise.withResolvers<void>();
    driver.listed = promise;
    await pass(1_000);
    const { lists } = driver;
    await pass(10_000);
    expect(failing()).toEqual({ 'register CSI plugins': 'the list of plugin sockets has no answer yet' });
    expect(driver.lists).toBe(lists);
    resolve();
    await pass(1);
    expect(failing()).toEqual({});
    expect(logged.filter((line) => /can(not)? register CSI plugins/.test(line))).toHaveLength(2);
  });
});
