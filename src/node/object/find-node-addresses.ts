import type { Clock } from '../../actor/clock.ts';
import { within } from '../../actor/in-time.ts';
import type { AddressHost } from '../../host/host-addresses.ts';
import {
  defaultInterface,
  isSpecified,
  nodeAddresses,
  type AddressInput,
  type AddressResult,
} from './node-addresses.ts';

/** A name resolution that takes longer is abandoned. Shorter than the wait of a new node for its first status. */
const RESOLVE_WITHIN_MS = 3_000;

/** Returns the node's addresses as the host has them now. */
export async function findNodeAddresses(
  host: AddressHost,
  clock: Pick<Clock, 'after'>,
  { nodeName, nodeIps, externalCloudProvider }: Pick<AddressInput, 'nodeName' | 'nodeIps' | 'externalCloudProvider'>,
): Promise<AddressResult> {
  const isGiven = nodeIps.some(isSpecified);
  const resolved = isGiven ? [] : await within(clock, RESOLVE_WITHIN_MS, host.resolve(nodeName));
  return nodeAddresses({
    nodeName,
    nodeIps,
    hostAddresses: host.addresses(),
    resolved: resolved === 'time-up' ? [] : resolved,
    defaultInterface: defaultInterface(...host.routes()),
    externalCloudProvider,
  });
}
