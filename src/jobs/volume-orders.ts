import { release } from 'node:os';
import { systemClock } from '../actor/clock.ts';
import { systemRandom } from '../actor/random.ts';
import { systemMounter } from '../volumes/disk/mounter.ts';
import { knowsNoSwap } from '../volumes/disk/tmpfs-noswap.ts';
import type { VolumeOutcome } from '../volumes/disk/set-up-volume.ts';
import { VolumeExecutor, type VolumeOrder } from '../volumes/disk/volume-executor.ts';

/** One executor for the life of the thread: it outlives the incarnations of the actor that sends the orders. */
const volumeExecutor = new VolumeExecutor({
  mounter: systemMounter,
  now: () => systemClock.now(),
  chance: systemRandom,
  tmpfsNoSwap: knowsNoSwap(release()),
});

/** Job for a worker thread, of which there must be only one. Returns outcomes in the order of the orders. */
export const volumeOrders = (orders: readonly VolumeOrder[]): Promise<readonly VolumeOutcome[]> =>
  volumeExecutor.carryOut(orders);
