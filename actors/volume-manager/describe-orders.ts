import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import { pluginName } from './metrics.ts';

/** Returns orders as a noun for people, with volume, plugin and pod: an order that hangs must be found on the host. */
export function describeOrders(orders: readonly VolumeOrder[]): string {
  const [first] = orders;
  if (first === undefined) return 'no order';
  const others = orders.length - 1;
  return others === 0 ? describe(first) : `${describe(first)}, and ${others} more`;
}

function describe(order: VolumeOrder): string {
  switch (order.type) {
    case 'set-up':
      return `the setup of volume "${order.plan.name}" (${pluginName(order.plan, undefined)}) of pod ${order.pod.podUid}`;
    case 'bind-sub-paths':
      return `the bind mount of sub-paths for container ${order.container} of pod ${order.podUid}`;
    case 'own-volume':
      return `the change of the group of volume ${order.place.join('/')} of pod ${order.podUid}`;
    case 'map-device':
      return `the mapping of device ${order.volume.specName} (${order.volume.plugin}) for pod ${order.podUid}`;
    case 'unmap-devices':
      return `the unmapping of the devices of pod ${order.podUid}`;
    case 'tear-down':
      return `the removal of the volumes of pod ${order.podUid}`;
    default:
      return order satisfies never;
  }
}
