import { bindSubPaths, type BindSubPathsOrder } from './bind-sub-paths.ts';
import { mapDevice, unmapDevices, type MapDeviceOrder, type UnmapDevicesOrder } from './map-device.ts';
import { ownVolume, type OwnVolumeOrder } from './own-volume.ts';
import type { MountPoint } from './mounter.ts';
import type { HeldParents } from './held-parents.ts';
import { holdParents, setUpVolume, type SetUpOrder, type VolumeOutcome, type VolumeTools } from './set-up-volume.ts';
import { tearDownPod, type TearDownOrder } from './tear-down-pod.ts';

export type VolumeOrder =
  SetUpOrder | BindSubPathsOrder | OwnVolumeOrder | MapDeviceOrder | UnmapDevicesOrder | TearDownOrder;

/**
 * Carries out volume orders. Orders of one pod run one after the other in their order of arrival, whichever manager
 * sent them. So an order of a crashed manager and one of its successor never work on the same volume at the same time.
 */
export class VolumeExecutor {
  readonly #tools: VolumeTools;
  readonly #last = new Map<string, Promise<unknown>>();
  #mounts: { readonly read: Promise<readonly MountPoint[]>; begun: boolean } | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(tools: VolumeTools) {
    this.#tools = tools;
  }

  /** Returns outcomes in the order of the orders. Never rejects. */
  carryOut(orders: readonly VolumeOrder[]): Promise<readonly VolumeOutcome[]> {
    const parents = holdParents();
    // Other orders of the same pod run before or after this whole batch, so nothing removes what this batch makes.
    if (orders.some(({ type }) => type !== 'set-up')) parents.close();
    return Promise.all(orders.map((order) => this.#after(order, parents))).finally(() => parents.close());
  }

  #after(order: VolumeOrder, parents: HeldParents): Promise<VolumeOutcome> {
    const uid = order.type === 'set-up' ? order.pod.podUid : order.podUid;
    const before = this.#last.get(uid);
    const done = before === undefined ? this.#do(order, parents) : before.then(() => this.#do(order, parents));
    this.#last.set(uid, done);
    void done.finally(() => {
      if (this.#last.get(uid) === done) this.#last.delete(uid);
    });
    return done;
  }

  #do(order: VolumeOrder, parents: HeldParents): Promise<VolumeOutcome> {
    switch (order.type) {
      case 'set-up':
        return setUpVolume(order, this.#tools, parents);
      case 'bind-sub-paths':
        return bindSubPaths(order, this.#tools);
      case 'own-volume':
        return Promise.resolve(ownVolume(order));
      case 'map-device':
        return mapDevice(order, this.#tools);
      case 'unmap-devices':
        return unmapDevices(order, this.#tools);
      case 'tear-down':
        return tearDownPod(order, this.#tools, () => this.#mountPoints());
      default:
        return order satisfies never;
    }
  }

  /**
   * Returns mounts read now or later. The list is long on a full node, so all callers that ask before the next read
   * begins share it.
   */
  #mountPoints(): Promise<readonly MountPoint[]> {
    if (this.#mounts !== undefined && !this.#mounts.begun) return this.#mounts.read;
    const next: { read: Promise<readonly MountPoint[]>; begun: boolean } = {
      begun: false,
      read: this.#reading.then(() => {
        next.begun = true;
        return this.#tools.mounter.mountPoints();
      }),
    };
    this.#mounts = next;
    this.#reading = next.read.catch(() => {});
    return next.read;
  }
}
